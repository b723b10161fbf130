-- Writes a step of handoff number $7 that leaves its facts and its being open as they were.
-- Columns that did not change are not named: each named one costs its indexes.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, due_at = $4, claim_epoch = $5, progress = $6
 WHERE seq = $7;
