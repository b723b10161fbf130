-- Lists the open handoffs of task $1.
-- Uses index handoff_task.
SELECT id
  FROM handoff
 WHERE task = $1
   AND is_open = 1
 ORDER BY id;
