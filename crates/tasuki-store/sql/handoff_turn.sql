-- Writes a step of handoff number $10 that opens or closes it, or gives its task to its child.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, not_before = $4, due_at = $5, claim_epoch = $6,
       progress = $7, is_open = $8, is_live = $9
 WHERE seq = $10;
