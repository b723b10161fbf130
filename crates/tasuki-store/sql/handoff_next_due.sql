-- When the clock will make something due.
-- Uses index handoff_due alone.
SELECT due_at
  FROM handoff
 WHERE due_at IS NOT NULL
 ORDER BY due_at, id
 LIMIT 1;
