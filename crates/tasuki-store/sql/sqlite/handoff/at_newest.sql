-- Returns the id that is $2 places before id $1, newest first.
-- Uses index handoff_id in its order.
SELECT id
  FROM handoff
 WHERE id < $1
 ORDER BY id DESC
 LIMIT 1 OFFSET $2;
