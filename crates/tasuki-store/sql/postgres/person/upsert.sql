-- Sets the password hash of person $1 to $2.
INSERT INTO person (name, hash)
VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET hash = excluded.hash;
