-- Records that migration $1 with digest $2 was applied. For every kind of database.
INSERT INTO migration (number, digest)
VALUES ($1, $2);
