-- Lists the mailed codes whose checksum is wrong. Scans the table.
SELECT hex(id_hash)
  FROM mail_code
 WHERE checksum <> row_checksum(id_hash, project, handoff, person, address, receiver, revision, digest, created_at, expires_at);
