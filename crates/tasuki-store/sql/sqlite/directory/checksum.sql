-- Lists the entries whose checksum is wrong. Scans the table.
SELECT kind || '@' || key
  FROM directory
 WHERE checksum <> row_checksum(kind, key, body);
