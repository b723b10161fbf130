-- Lists at most $3 handoffs of project $1 that are due at $2, earliest first; ties by age, oldest first.
-- Uses index handoff_due in its order.
SELECT id
  FROM handoff
 WHERE project = $1
   AND due_at <= $2
 ORDER BY due_at, seq
 LIMIT $3;
