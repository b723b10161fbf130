-- Moves the head to leaves $1, last hash $2, last time $3, version of the directory $4, claim
-- epoch $5, halt $6, floor of tokens $7, key of fingerprints $8, if it still had $9 leaves.
UPDATE head
   SET leaf_count = $1, last_hash = $2, last_at = $3, directory_version = $4, claim_epoch = $5,
       is_halted = $6, token_floor = $7, fingerprint_key = $8
 WHERE only_row = 1
   AND leaf_count = $9;
