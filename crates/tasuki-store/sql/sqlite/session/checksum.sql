-- Lists the sessions whose checksum is wrong. Scans the table.
SELECT hex(id_hash)
  FROM session
 WHERE checksum <> row_checksum(id_hash, person, created_at, last_seen, expires_at, remembered);
