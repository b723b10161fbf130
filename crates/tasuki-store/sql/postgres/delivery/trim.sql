-- Deletes all but the last $3 attempts of subscription $2 of project $1.
DELETE FROM delivery
 WHERE project = $1
   AND subscription = $2
   AND number <= (SELECT max(number) FROM delivery WHERE project = $1 AND subscription = $2) - $3;
