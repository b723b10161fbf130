-- Notes that migration $1 was applied, with the digest $2 of its text. For every kind of database.
INSERT INTO migration (number, digest)
VALUES ($1, $2);
