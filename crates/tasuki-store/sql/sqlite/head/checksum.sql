-- Returns the head if its checksum is wrong.
SELECT project
  FROM head
 WHERE checksum <> row_checksum(project, name, leaf_count, last_hash, last_at, directory_version,
                                claim_epoch, is_halted, fence_floor, fingerprint_key);
