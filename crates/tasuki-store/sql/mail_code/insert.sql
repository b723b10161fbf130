-- Stores a mailed code: hash $1, project $2, handoff $3, person $4, receiver $5, revision $6, digest
-- $7, created at $8, expires at $9.
INSERT INTO mail_code (id_hash, project, handoff, person, receiver, revision, digest, created_at,
                       expires_at, checksum)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, row_checksum($1, $2, $3, $4, $5, $6, $7, $8, $9));
