-- Deletes attempt $2 of subscription $1.
DELETE FROM delivery
 WHERE subscription = $1
   AND number = $2;
