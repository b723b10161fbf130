-- Lists the documents of handoff $2 of project $1, oldest first: of kind $3, or all if that is null.
WITH RECURSIVE own (n, previous_n) AS (
  SELECT leaf.n, leaf.previous_n
    FROM handoff
    JOIN leaf ON leaf.project = $1 AND leaf.n = handoff.last_n
   WHERE handoff.project = $1
     AND handoff.id = $2
   UNION ALL
  SELECT leaf.n, leaf.previous_n
    FROM own
    JOIN leaf ON leaf.project = $1 AND leaf.n = own.previous_n AND leaf.n < own.n
)
SELECT document.n, document.place, document.handoff, document.kind, document.id, document.body,
       document.source, document.salt, document.commitment, document.digest
  FROM own
  JOIN document ON document.project = $1 AND document.n = own.n
 WHERE document.handoff = $2
   AND ($3::text IS NULL OR document.kind = $3)
 ORDER BY document.n, document.place;
