-- Lists the projects whose checksum is wrong. Scans the table.
SELECT name
  FROM project
 WHERE checksum <> row_checksum(name, id);
