-- Adds the words $2 that leaf $1 brought.
INSERT INTO search (rowid, words)
VALUES ($1, $2);
