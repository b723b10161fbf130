-- Deletes the cursor of subscription $2 of project $1.
DELETE FROM cursor
 WHERE project = $1
   AND subscription = $2;
