-- Lists the migrations that were applied, with their digests. For every kind of database.
SELECT number, digest
  FROM migration
 ORDER BY number;
