-- Deletes all sessions of person $1. There are few, so an index would not pay off.
DELETE FROM session
 WHERE person = $1;
