-- Updates handoff number $21 after a step that changes its facts.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, checksum = row_checksum($7), last_n = $8, awaits_sender = $9, judge = $10,
       is_open = $11, is_live = $12, reviewed_at = $13, failed_n = $14, task = $15, sender = $16,
       receiver = $17, priority = $18, fingerprint = $19, is_begun = $20
 WHERE seq = $21;
