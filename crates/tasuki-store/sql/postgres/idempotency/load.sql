-- Loads the responses of project $1 to the parties $2 for the commands $3 with the hashes $4 of their keys.
SELECT i.key_hash, i.request, i.answer, i.until, i.party, i.command
  FROM unnest($2::text[], $3::text[], $4::text[]) AS wanted (party, command, key_hash)
  CROSS JOIN LATERAL (
    SELECT * FROM idempotency
     WHERE idempotency.project = $1 AND idempotency.party = wanted.party
       AND idempotency.command = wanted.command AND idempotency.key_hash = wanted.key_hash
     OFFSET 0
  ) AS i;
