-- Returns the earliest due time.
-- Uses index handoff_due alone.
SELECT min(due_at) AS due_at
  FROM handoff
 WHERE due_at IS NOT NULL;
