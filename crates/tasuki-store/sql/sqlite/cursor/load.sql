-- Loads the cursor of subscription $1.
SELECT subscription, n, failing_since, next_try_at, attempts
  FROM cursor
 WHERE subscription = $1;
