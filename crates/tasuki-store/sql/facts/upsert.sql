-- Sets the facts of handoff number $1 to $2.
INSERT INTO facts (seq, body)
VALUES ($1, $2)
    ON CONFLICT (seq) DO UPDATE SET body = excluded.body;
