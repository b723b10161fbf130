-- Lists all cursors.
SELECT subscription, n, failing_since, next_try_at, attempts,
       checksum = row_checksum(subscription, n, failing_since, next_try_at, attempts)
  FROM cursor
 ORDER BY subscription;
