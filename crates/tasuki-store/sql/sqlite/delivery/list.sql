-- Lists the last $3 attempts of subscription $1 before attempt $2, newest first.
SELECT subscription, n, at, attempt, status, millis, response, number
  FROM delivery
 WHERE subscription = $1
   AND number < $2
 ORDER BY number DESC
 LIMIT $3;
