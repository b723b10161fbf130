-- The leaves of handoff $1, oldest first: found from its last one back, each names the one before.
-- Uses index handoff_id, then the primary key.
WITH RECURSIVE own (n) AS (
  SELECT progress ->> '$.last_n'
    FROM handoff
   WHERE id = $1
   UNION ALL
  SELECT leaf.leaf ->> '$.subj.prev_n'
    FROM own CROSS JOIN leaf
   WHERE leaf.n = own.n
     AND leaf.leaf ->> '$.subj.prev_n' < own.n
)
SELECT leaf.n, leaf.at, leaf.kind, leaf.handoff, leaf.leaf, leaf.detail
  FROM own CROSS JOIN leaf
 WHERE leaf.n = own.n
 ORDER BY leaf.n;
