-- Writes a step of handoff number $9 that opens or closes it, or gives its task to its child.
UPDATE handoff
   SET holder = $1, state = $2, since = $3, due_at = $4, claim_epoch = $5, progress = $6,
       is_open = $7, is_live = $8
 WHERE seq = $9;
