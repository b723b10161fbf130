-- Finds the unfinished import if its checksum is wrong.
SELECT file
  FROM import
 WHERE checksum <> row_checksum(file, line);
