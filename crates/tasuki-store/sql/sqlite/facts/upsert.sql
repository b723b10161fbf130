-- Sets the facts of handoff number $1 to $2.
INSERT INTO facts (seq, body, checksum)
VALUES ($1, $2, row_checksum($2))
    ON CONFLICT (seq) DO UPDATE SET body = excluded.body, checksum = excluded.checksum;
