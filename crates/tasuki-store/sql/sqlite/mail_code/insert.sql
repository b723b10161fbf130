-- Stores a mailed code: hash $1, project $2, handoff $3, person $4, hash of the address $5, receiver $6,
-- revision $7, digest $8, created at $9, expires at $10.
INSERT INTO mail_code (id_hash, project, handoff, person, address, receiver, revision, digest, created_at,
                       expires_at, checksum)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, row_checksum($1, $2, $3, $4, $5, $6, $7, $8, $9, $10));
