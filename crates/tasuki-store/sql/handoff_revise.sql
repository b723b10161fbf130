-- Writes handoff number $15 with new facts.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, due_at = $4, claim_epoch = $5, progress = $6,
       is_open = $7, is_live = $8, task = $9, sender = $10, receiver = $11, priority = $12,
       fingerprint = $13, is_begun = $14
 WHERE seq = $15;
