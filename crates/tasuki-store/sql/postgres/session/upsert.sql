-- Stores a session: hash $1, person $2, created at $3, last seen at $4, expires at $5, remembered
-- ($6) on the person's own device.
INSERT INTO session (id_hash, person, created_at, last_seen, expires_at, remembered)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (id_hash) DO UPDATE SET person = excluded.person, created_at = excluded.created_at,
       last_seen = excluded.last_seen, expires_at = excluded.expires_at,
       remembered = excluded.remembered;
