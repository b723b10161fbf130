-- Records that migration $1 with digest $2 was applied.
INSERT INTO migration (number, digest)
VALUES ($1, $2);
