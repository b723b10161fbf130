-- Deletes the session with hash $1.
DELETE FROM session
 WHERE id_hash = $1;
