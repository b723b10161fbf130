-- Loads the session with hash $1.
SELECT id_hash, person, created_at, last_seen, expires_at, remembered
  FROM session
 WHERE id_hash = $1;
