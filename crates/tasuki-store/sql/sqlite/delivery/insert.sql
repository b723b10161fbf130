-- Adds an attempt of subscription $1: leaf $2, time $3, attempt $4, status $5, $6 milliseconds, response $7.
INSERT INTO delivery (subscription, number, n, at, attempt, status, millis, response, checksum)
SELECT $1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6, $7,
       row_checksum($1, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6, $7)
  FROM delivery
 WHERE subscription = $1;
