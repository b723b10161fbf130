-- Deletes the sessions that have expired at $1. There are few, so that no index is worth its price.
DELETE FROM session
 WHERE expires_at <= $1;
