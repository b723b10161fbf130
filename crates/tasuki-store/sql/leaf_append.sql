-- Adds leaf number $1.
INSERT INTO leaf (n, at, kind, handoff, leaf, detail, previous)
VALUES ($1, $2, $3, $4, $5, $6, $7);
