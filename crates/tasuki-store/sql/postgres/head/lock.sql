-- Locks project $1 for writing. Returns the end of its log, the number of its handoffs, the number of
-- its commits, and the time after the lock was acquired.
WITH locked AS MATERIALIZED (
  SELECT *
    FROM head
   WHERE project = $1
     FOR UPDATE
)
SELECT project, leaf_count, last_hash, last_at, directory_version, claim_epoch, is_halted,
       fence_floor, fingerprint_key, name, begun + submitted, commits,
       (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
  FROM locked;
