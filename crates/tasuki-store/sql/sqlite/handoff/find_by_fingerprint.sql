-- Finds open handoffs with fingerprint $1 whose task id was generated.
-- Uses index handoff_fingerprint.
SELECT id
  FROM handoff
 WHERE fingerprint = $1
   AND is_open = 1
   AND substr(task, 1, 4) = 'tsk_'
 ORDER BY id;
