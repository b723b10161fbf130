-- Sets the cursor of subscription $1: leaf $2, failing since $3, next try at $4, $5 attempts.
INSERT INTO cursor (subscription, n, failing_since, next_try_at, attempts, checksum)
VALUES ($1, $2, $3, $4, $5, row_checksum($1, $2, $3, $4, $5))
    ON CONFLICT (subscription) DO UPDATE SET n = excluded.n, failing_since = excluded.failing_since,
       next_try_at = excluded.next_try_at, attempts = excluded.attempts,
       checksum = excluded.checksum;
