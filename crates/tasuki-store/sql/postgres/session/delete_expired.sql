-- Deletes the sessions that have expired at $1. There are few, so an index would not pay off.
DELETE FROM session
 WHERE expires_at <= $1;
