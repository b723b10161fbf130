-- Lists the leaves of handoff $1, oldest first. They are found from the last one back by `previous_n`.
-- Uses index handoff_id, then the primary key.
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
SELECT leaf.n, leaf.at, leaf.type, leaf.handoff, leaf.previous_n, leaf.body, leaf.detail
  FROM own CROSS JOIN leaf
 WHERE leaf.n = own.n
 ORDER BY leaf.n;
