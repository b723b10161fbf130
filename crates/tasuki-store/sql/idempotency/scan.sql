-- Lists all keys. Scans the table.
SELECT key, request, answer, until, party, command
  FROM idempotency
 ORDER BY seq;
