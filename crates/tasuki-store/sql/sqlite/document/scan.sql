-- Lists all documents. Scans the table.
SELECT n, place, handoff, kind, id, body, source, salt, commitment, digest
  FROM document
 ORDER BY n, place;
