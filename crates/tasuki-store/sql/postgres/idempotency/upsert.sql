-- Stores the responses of project $1: parties $2, commands $3, hashes $4 of the keys, requests $5, answers
-- $6, and until when $7.
INSERT INTO idempotency (project, party, command, key_hash, request, answer, until)
SELECT $1, new.*
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[]) AS new
    ON CONFLICT (project, party, command, key_hash)
    DO UPDATE SET request = excluded.request, answer = excluded.answer, until = excluded.until;
