-- Writes handoff number $17 with new facts.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, last_n = $8, is_open = $9, is_live = $10, task = $11, sender = $12,
       receiver = $13, priority = $14, fingerprint = $15, is_begun = $16
 WHERE seq = $17;
