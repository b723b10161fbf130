-- Lists all attempts of all subscriptions. Scans the table.
SELECT subscription, n, at, attempt, status, millis, response, number,
       checksum = row_checksum(subscription, number, n, at, attempt, status, millis, response)
  FROM delivery
 ORDER BY subscription, number;
