-- The first $2 offers to party $1, most urgent first.
-- Uses index handoff_offer alone.
SELECT id, priority, since
  FROM handoff
 WHERE receiver = $1
   AND state = 'offered'
 ORDER BY priority, since, id
 LIMIT $2;
