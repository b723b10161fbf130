-- All documents. Looks at all of them.
SELECT n, place, handoff, kind, id, body, source, salt, commitment, digest
  FROM document
 ORDER BY n, place;
