-- Deletes all but the last $2 attempts of subscription $1.
DELETE FROM delivery
 WHERE subscription = $1
   AND number <= (SELECT max(number) FROM delivery WHERE subscription = $1) - $2;
