-- Adds the words $3 of leaf $2 of project $1; null if there are too many for the index.
INSERT INTO search (project, n, words)
VALUES ($1, $2, array_to_tsvector($3::text[]));
