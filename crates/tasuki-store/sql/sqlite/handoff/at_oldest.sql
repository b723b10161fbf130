-- Returns the id that is $2 places after id $1, oldest first.
-- Uses index handoff_id in its order.
SELECT id
  FROM handoff
 WHERE id > $1
 ORDER BY id
 LIMIT 1 OFFSET $2;
