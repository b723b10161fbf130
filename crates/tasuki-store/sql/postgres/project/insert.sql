-- Adds project $1 with id $2, unless one of them exists.
INSERT INTO project (name, id)
VALUES ($1, $2)
    ON CONFLICT DO NOTHING;
