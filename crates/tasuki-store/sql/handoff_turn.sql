-- Writes a step of handoff number $11 that opens or closes it, or gives its task to its child.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, last_n = $8, is_open = $9, is_live = $10
 WHERE seq = $11;
