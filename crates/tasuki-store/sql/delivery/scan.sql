-- Lists all attempts of all subscriptions. Scans the table.
SELECT subscription, n, at, attempt, status, millis, response, number
  FROM delivery
 ORDER BY subscription, number;
