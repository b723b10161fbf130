-- Deletes the attempts of subscription $2 of project $1.
DELETE FROM delivery
 WHERE project = $1
   AND subscription = $2;
