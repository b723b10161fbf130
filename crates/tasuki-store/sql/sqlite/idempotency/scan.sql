-- Lists all keys. Scans the table.
SELECT key_hash, request, answer, until, party, command
  FROM idempotency
 ORDER BY seq;
