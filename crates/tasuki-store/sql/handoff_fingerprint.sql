-- Open handoffs with fingerprint $1.
-- Uses index handoff_fingerprint.
SELECT id
  FROM handoff
 WHERE fingerprint = $1
   AND is_open = 1
 ORDER BY id;
