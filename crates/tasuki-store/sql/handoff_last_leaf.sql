-- The number of the last leaf of handoff $1.
-- Uses index handoff_id.
SELECT last_n
  FROM handoff
 WHERE id = $1;
