-- Lists the leaves of handoff $2 of project $1, oldest first. They are found from the last one back by
-- `previous_n`.
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
SELECT leaf.n, leaf.at, leaf.type, leaf.handoff, leaf.previous_n, leaf.body, leaf.detail
  FROM own
  JOIN leaf ON leaf.project = $1 AND leaf.n = own.n
 ORDER BY leaf.n;
