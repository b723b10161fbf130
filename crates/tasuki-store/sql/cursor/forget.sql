-- Forgets where subscription $1 stood.
DELETE FROM cursor
 WHERE subscription = $1;
