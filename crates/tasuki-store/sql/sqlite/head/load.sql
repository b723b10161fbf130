-- Loads the head of the log.
SELECT project, leaf_count, last_hash, last_at, directory_version, claim_epoch, is_halted,
       fence_floor, fingerprint_key, name
  FROM head
 WHERE only_row = 1;
