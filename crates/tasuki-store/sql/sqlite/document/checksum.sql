-- Lists the documents whose checksum is wrong. Scans the table.
SELECT n || '@' || place
  FROM document
 WHERE checksum <> row_checksum(n, place, handoff, kind, id);
