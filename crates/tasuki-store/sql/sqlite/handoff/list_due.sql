-- Lists at most $2 handoffs that are due at $1, earliest first; ties by age, oldest first.
-- Uses index handoff_due in its order.
SELECT id
  FROM handoff
 WHERE due_at <= $1
 ORDER BY due_at, seq
 LIMIT $2;
