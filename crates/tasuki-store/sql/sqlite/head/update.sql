-- Updates the head if it still has $21 leaves: leaves $1, last hash $2, last time $3, directory version $4,
-- claim epoch $5, halt $6, fence floor $7, fingerprint key $8. $9 to $20 are added to the counters: begun,
-- submitted, then each state.
UPDATE head
   SET leaf_count = $1, last_hash = $2, last_at = $3, directory_version = $4, claim_epoch = $5,
       is_halted = $6, fence_floor = $7, fingerprint_key = $8,
       checksum = row_checksum(project, name, $1, $2, $3, $4, $5, $6, $7, $8), begun = begun + $9,
       submitted = submitted + $10, held = held + $11, offered = offered + $12,
       claimed = claimed + $13, returned = returned + $14, done = done + $15,
       passed_on = passed_on + $16, rejected = rejected + $17, cancelled = cancelled + $18,
       discarded = discarded + $19, dead = dead + $20
 WHERE only_row = 1
   AND leaf_count = $21;
