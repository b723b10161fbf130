-- The migrations that were applied, with the digests of their texts. For every kind of database.
SELECT number, digest
  FROM migration
 ORDER BY number;
