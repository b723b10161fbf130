-- Adds project $1 with id $2.
INSERT INTO project (name, id, checksum)
VALUES ($1, $2, row_checksum($1, $2));
