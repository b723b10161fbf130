-- Loads the mailed code with hash $1.
SELECT id_hash, project, handoff, person, address, receiver, revision, digest, created_at, expires_at
  FROM mail_code
 WHERE id_hash = $1;
