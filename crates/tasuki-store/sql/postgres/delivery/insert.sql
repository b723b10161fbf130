-- Adds an attempt of subscription $2 of project $1: leaf $3, time $4, attempt $5, status $6, $7 milliseconds,
-- response $8.
INSERT INTO delivery (project, subscription, number, n, at, attempt, status, millis, response)
SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7, $8
  FROM delivery
 WHERE project = $1
   AND subscription = $2;
