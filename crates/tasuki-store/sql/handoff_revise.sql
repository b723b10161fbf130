-- Writes handoff number $18 with new facts.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, last_n = $8, awaits_sender = $9, is_open = $10, is_live = $11, task = $12,
       sender = $13, receiver = $14, priority = $15, fingerprint = $16, is_begun = $17
 WHERE seq = $18;
