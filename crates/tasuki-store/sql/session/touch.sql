-- At $1 the session with hash $2 was used; it was never used before it was last seen.
UPDATE session
   SET last_seen = max(last_seen, $1)
 WHERE id_hash = $2;
