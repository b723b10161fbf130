-- At most $2 handoffs that are due at $1, earliest first.
-- Uses index handoff_due.
SELECT id
  FROM handoff
 WHERE due_at <= $1
 ORDER BY due_at, id
 LIMIT $2;
