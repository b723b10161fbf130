-- Lists the leaves whose checksum is wrong. Scans the table.
SELECT n
  FROM leaf
 WHERE checksum <> row_checksum(n, detail);
