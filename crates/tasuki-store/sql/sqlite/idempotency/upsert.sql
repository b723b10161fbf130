-- Stores the response $5 to request $4 of party $1 for command $2 with the hash $3 of a key, until $6.
INSERT INTO idempotency (party, command, key_hash, request, answer, until, checksum)
VALUES ($1, $2, $3, $4, $5, $6, row_checksum($1, $2, $3, $4, $5, $6))
    ON CONFLICT (party, command, key_hash)
    DO UPDATE SET request = excluded.request, answer = excluded.answer, until = excluded.until,
       checksum = excluded.checksum;
