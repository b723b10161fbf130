-- Deletes the attempts of subscription $1.
DELETE FROM delivery
 WHERE subscription = $1;
