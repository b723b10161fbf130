-- Deletes the mailed codes that have expired at $1. There are few, so an index would not pay off.
DELETE FROM mail_code
 WHERE expires_at <= $1;
