-- Lists the people whose checksum is wrong. Scans the table.
SELECT name
  FROM person
 WHERE checksum <> row_checksum(name, hash);
