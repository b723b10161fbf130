-- Lists the keys whose checksum is wrong. Scans the table.
SELECT party || '@' || command || '@' || key_hash
  FROM idempotency
 WHERE checksum <> row_checksum(party, command, key_hash, request, answer, until);
