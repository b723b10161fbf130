-- Where subscription $1 stands.
SELECT subscription, n, failing_since, next_try_at, attempts
  FROM cursor
 WHERE subscription = $1;
