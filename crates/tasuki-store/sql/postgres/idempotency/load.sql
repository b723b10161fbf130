-- Loads the responses of project $1 to the parties $2 for the commands $3 with the hashes $4 of their keys.
SELECT i.key_hash, i.request, i.answer, i.until, i.party, i.command
  FROM idempotency AS i
  JOIN unnest($2::text[], $3::text[], $4::text[]) AS asked (party, command, key_hash)
    ON i.party = asked.party AND i.command = asked.command AND i.key_hash = asked.key_hash
 WHERE i.project = $1;
