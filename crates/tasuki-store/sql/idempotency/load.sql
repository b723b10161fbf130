-- Loads the response to party $1 for command $2 with key $3.
-- Uses the unique key.
SELECT key, request, answer, until, party, command
  FROM idempotency
 WHERE party = $1
   AND command = $2
   AND key = $3;
