-- Lists the documents of handoff $1, oldest first: of kind $2, or all if that is null.
-- Uses index handoff_id, then the primary keys: leaves are found from the last one back.
WITH RECURSIVE own (n, previous_n) AS (
  SELECT leaf.n, leaf.previous_n
    FROM handoff CROSS JOIN leaf
   WHERE handoff.id = $1
     AND leaf.n = handoff.last_n
   UNION ALL
  SELECT leaf.n, leaf.previous_n
    FROM own CROSS JOIN leaf
   WHERE leaf.n = own.previous_n
     AND leaf.n < own.n
)
SELECT document.n, document.place, document.handoff, document.kind, document.id, document.body,
       document.source, document.salt, document.commitment, document.digest
  FROM own CROSS JOIN document
 WHERE document.n = own.n
   AND document.handoff = $1
   AND ($2 IS NULL OR document.kind = $2)
 ORDER BY document.n, document.place;
