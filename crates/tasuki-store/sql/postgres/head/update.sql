-- Updates the head of project $1: leaves $2, last hash $3, last time $4, directory version $5, claim epoch
-- $6, halt $7, fence floor $8, fingerprint key $9. $10 is added to the counters: begun, submitted, then each
-- state.
UPDATE head
   SET leaf_count = $2, last_hash = $3, last_at = $4, directory_version = $5, claim_epoch = $6,
       is_halted = $7, fence_floor = $8, fingerprint_key = $9, commits = commits + 1,
       begun = begun + ($10::bigint[])[1],
       submitted = submitted + ($10::bigint[])[2],
       held = held + ($10::bigint[])[3],
       offered = offered + ($10::bigint[])[4],
       claimed = claimed + ($10::bigint[])[5],
       returned = returned + ($10::bigint[])[6],
       done = done + ($10::bigint[])[7],
       passed_on = passed_on + ($10::bigint[])[8],
       rejected = rejected + ($10::bigint[])[9],
       cancelled = cancelled + ($10::bigint[])[10],
       discarded = discarded + ($10::bigint[])[11],
       dead = dead + ($10::bigint[])[12]
 WHERE project = $1;
