-- Updates handoff number $11 after a step that leaves its facts, `is_open`, `is_live`, `reviewed_at`, `failed_n`
-- and `priority` as they were.
-- Columns that did not change are not named: each named one costs its indexes.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, checksum = row_checksum($7), last_n = $8, awaits_sender = $9, judge = $10
 WHERE seq = $11;
