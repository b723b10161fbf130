-- Loads the response to party $1 for command $2 with the hash $3 of a key.
-- Uses the unique key.
SELECT key_hash, request, answer, until, party, command
  FROM idempotency
 WHERE party = $1
   AND command = $2
   AND key_hash = $3;
