-- Deletes all sessions of person $1. There are few, so that no index is worth its price.
DELETE FROM session
 WHERE person = $1;
