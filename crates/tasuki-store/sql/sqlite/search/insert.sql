-- Adds the words $2 of leaf $1.
INSERT INTO search (rowid, words)
VALUES ($1, $2);
