-- Documents of handoff $1, oldest first: of kind $2, or all if that is null.
-- Uses index handoff_id, then the primary keys: leaves are found from the last one back, and a document
-- stands at the number of its leaf.
WITH RECURSIVE own (n, previous) AS (
  SELECT leaf.n, leaf.previous
    FROM handoff CROSS JOIN leaf
   WHERE handoff.id = $1
     AND leaf.n = handoff.last_n
   UNION ALL
  SELECT leaf.n, leaf.previous
    FROM own CROSS JOIN leaf
   WHERE leaf.n = own.previous
     AND leaf.n < own.n
)
SELECT document.id, document.handoff, document.n, document.kind, body, source, salt, commitment, digest,
       document.seq
  FROM own CROSS JOIN document
 WHERE document.seq >= own.n << 8
   AND document.seq < (own.n + 1) << 8
   AND document.handoff = $1
   AND ($2 IS NULL OR document.kind = $2)
 ORDER BY document.seq;
