-- Stores the response $5 to request $4 of party $1 for command $2 with key $3, until $6.
INSERT INTO idempotency (party, command, key, request, answer, until)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (party, command, key)
    DO UPDATE SET request = excluded.request, answer = excluded.answer, until = excluded.until;
