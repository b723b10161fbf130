-- Writes the facts $2 of handoff number $1.
INSERT INTO facts (seq, body)
VALUES ($1, $2)
    ON CONFLICT (seq) DO UPDATE SET body = excluded.body;
