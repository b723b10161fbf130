-- All documents. Looks at all of them.
SELECT id, handoff, n, kind, body, source, salt, commitment, digest, seq
  FROM document
 ORDER BY seq;
