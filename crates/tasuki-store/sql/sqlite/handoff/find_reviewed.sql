-- Finds the handoff with the last decision of a person about task $1.
-- Uses index handoff_reviewed.
SELECT id
  FROM handoff
 WHERE task = $1
   AND reviewed_at IS NOT NULL
 ORDER BY reviewed_at DESC, id DESC
 LIMIT 1;
