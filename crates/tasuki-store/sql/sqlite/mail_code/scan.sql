-- Lists all mailed codes. Scans the table.
SELECT id_hash, project, handoff, person, address, receiver, revision, digest, created_at, expires_at
  FROM mail_code
 ORDER BY id_hash;
