-- Deletes at most $2 keys that have expired at $1. The limit bounds the cost of a batch after a long pause.
-- Uses index idempotency_until.
DELETE FROM idempotency
 WHERE seq IN (SELECT seq
                 FROM idempotency
                WHERE until <= $1
                ORDER BY until, seq
                LIMIT $2);
