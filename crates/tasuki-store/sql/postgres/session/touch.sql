-- Sets the last use of the session with hash $2 to $1, unless it is later already.
UPDATE session
   SET last_seen = greatest(last_seen, $1)
 WHERE id_hash = $2;
