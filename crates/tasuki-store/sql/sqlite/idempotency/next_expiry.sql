-- Returns when the next key expires.
-- Uses index idempotency_until.
SELECT until
  FROM idempotency
 WHERE until IS NOT NULL
 ORDER BY until
 LIMIT 1;
