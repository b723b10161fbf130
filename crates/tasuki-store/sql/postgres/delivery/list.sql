-- Lists the last $4 attempts of subscription $2 of project $1 before attempt $3, newest first.
SELECT subscription, n, at, attempt, status, millis, response, number
  FROM delivery
 WHERE project = $1
   AND subscription = $2
   AND number < $3
 ORDER BY number DESC
 LIMIT $4;
