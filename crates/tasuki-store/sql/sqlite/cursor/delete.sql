-- Deletes the cursor of subscription $1.
DELETE FROM cursor
 WHERE subscription = $1;
