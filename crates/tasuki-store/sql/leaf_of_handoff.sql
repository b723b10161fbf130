-- The leaves of handoff $1, oldest first: found from its last one back, each names the one before.
-- Uses index handoff_id, then the primary key.
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
SELECT leaf.n, leaf.at, leaf.kind, leaf.handoff, leaf.leaf, leaf.detail, leaf.previous,
       (SELECT project FROM head WHERE only_row = 1)
  FROM own CROSS JOIN leaf
 WHERE leaf.n = own.n
 ORDER BY leaf.n;
