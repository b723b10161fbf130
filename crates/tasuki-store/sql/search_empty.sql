-- Empties the index of words.
INSERT INTO search (search)
VALUES ('delete-all');
