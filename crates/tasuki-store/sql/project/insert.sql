-- Adds project $1 with id $2.
INSERT INTO project (name, id)
VALUES ($1, $2);
