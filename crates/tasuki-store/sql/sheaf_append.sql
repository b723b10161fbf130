-- Adds the sheaf $3 of $2 leaves, the first of which is number $1.
INSERT INTO sheaf (n, leaves, body)
VALUES ($1, $2, $3);
