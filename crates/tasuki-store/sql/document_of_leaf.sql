-- The documents with keys from $1 to below $2, which are those of one leaf or of several.
-- Uses the primary key.
SELECT id, handoff, n, kind, body, source, salt, commitment, digest, seq
  FROM document
 WHERE seq >= $1
   AND seq < $2
 ORDER BY seq;
