-- Sets the count of $1 to $2.
INSERT INTO tally (word, count)
VALUES ($1, $2);
