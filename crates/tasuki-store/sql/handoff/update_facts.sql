-- Updates handoff number $20 after a step that changes its facts.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, checksum = row_checksum($7), last_n = $8, awaits_sender = $9, judge = $10,
       is_open = $11, is_live = $12, reviewed_at = $13, task = $14, sender = $15, receiver = $16,
       priority = $17, fingerprint = $18, is_begun = $19
 WHERE seq = $20;
