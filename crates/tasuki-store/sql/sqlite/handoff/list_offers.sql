-- Lists the first $3 offers to party $1, most urgent first. Leaves out those that are parked at $2, unless
-- that is null.
-- Uses index handoff_offer alone.
SELECT id, priority, since
  FROM handoff
 WHERE receiver = $1
   AND state = 'offered'
   AND ($2 IS NULL OR not_before IS NULL OR not_before <= $2)
 ORDER BY priority, since, id
 LIMIT $3;
