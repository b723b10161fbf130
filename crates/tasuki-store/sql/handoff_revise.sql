-- Writes handoff number $16 with new facts.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, is_open = $8, is_live = $9, task = $10, sender = $11, receiver = $12,
       priority = $13, fingerprint = $14, is_begun = $15
 WHERE seq = $16;
