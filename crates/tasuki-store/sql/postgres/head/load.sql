-- Loads the head of the log of project $1.
SELECT project, leaf_count, last_hash, last_at, directory_version, claim_epoch, is_halted,
       fence_floor, fingerprint_key, name
  FROM head
 WHERE project = $1;
