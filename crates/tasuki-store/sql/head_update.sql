-- Moves the head to leaves $1, last hash $2, last time $3, version of the directory $4, claim
-- epoch $5, halt $6, key of fingerprints $7, if it still had $8 leaves.
UPDATE head
   SET leaf_count = $1, last_hash = $2, last_at = $3, directory_version = $4, claim_epoch = $5,
       is_halted = $6, fingerprint_key = $7
 WHERE only_row = 1
   AND leaf_count = $8;
