-- Deletes the mailed code with hash $1.
DELETE FROM mail_code
 WHERE id_hash = $1;
