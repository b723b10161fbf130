-- Sets the counters: begun $1, submitted $2, then each state.
UPDATE head
   SET begun = $1, submitted = $2, held = $3, offered = $4, claimed = $5, returned = $6, done = $7,
       passed_on = $8, rejected = $9, cancelled = $10, discarded = $11, dead = $12
 WHERE only_row = 1;
