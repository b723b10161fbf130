-- Lists the migrations that were applied, with their digests.
SELECT number, digest
  FROM migration
 ORDER BY number;
