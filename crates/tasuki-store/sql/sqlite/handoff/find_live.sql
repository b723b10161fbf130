-- Finds the live handoff of task $1.
-- Uses index handoff_task.
SELECT id
  FROM handoff
 WHERE task = $1
   AND is_live = 1;
