-- Sets the last use of the session with hash $2 to $1, unless it is later already.
UPDATE session
   SET last_seen = max(last_seen, $1),
       checksum = row_checksum(id_hash, person, created_at, max(last_seen, $1), expires_at,
                               remembered)
 WHERE id_hash = $2;
