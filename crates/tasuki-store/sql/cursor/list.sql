-- Lists all cursors.
SELECT subscription, n, failing_since, next_try_at, attempts
  FROM cursor
 ORDER BY subscription;
