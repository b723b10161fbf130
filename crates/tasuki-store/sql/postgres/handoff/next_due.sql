-- Returns the earliest due time of project $1.
-- Uses index handoff_due.
SELECT min(due_at) AS due_at
  FROM handoff
 WHERE project = $1
   AND due_at IS NOT NULL;
