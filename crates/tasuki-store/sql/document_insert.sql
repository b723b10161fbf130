-- Adds a document.
INSERT INTO document (seq, handoff, n, kind, id, body, source, salt, commitment, digest)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
