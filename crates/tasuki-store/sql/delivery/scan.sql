-- All attempts of all subscriptions. Looks at all of them.
SELECT subscription, n, at, attempt, status, millis, response, number
  FROM delivery
 ORDER BY subscription, number;
