-- Documents of handoff $1, oldest first: of kind $2, or all if that is null.
-- Uses index document_id.
SELECT id, handoff, n, kind, body, source, salt, commitment, digest
  FROM document
 WHERE handoff = $1
   AND ($2 IS NULL OR kind = $2)
 ORDER BY seq;
