-- Updates handoff number $16 after a step that opens or closes it, passes its task to its child, asks for approval
-- of an action with another risk, or is a decision of a person or a failure.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, checksum = row_checksum($7), last_n = $8, awaits_sender = $9, judge = $10,
       is_open = $11, is_live = $12, reviewed_at = $13, failed_n = $14, priority = $15
 WHERE seq = $16;
