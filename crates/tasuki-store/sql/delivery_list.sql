-- The last $2 attempts of subscription $1, newest first.
SELECT subscription, n, at, attempt, status, millis, response, number
  FROM delivery
 WHERE subscription = $1
 ORDER BY number DESC
 LIMIT $2;
