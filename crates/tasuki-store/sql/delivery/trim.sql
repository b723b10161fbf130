-- Of subscription $1 only the last $2 attempts stay.
DELETE FROM delivery
 WHERE subscription = $1
   AND number <= (SELECT max(number) FROM delivery WHERE subscription = $1) - $2;
