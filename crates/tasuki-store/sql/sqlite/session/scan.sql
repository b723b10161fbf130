-- Lists all sessions. Scans the table.
SELECT id_hash, person, created_at, last_seen, expires_at, remembered
  FROM session
 ORDER BY id_hash;
