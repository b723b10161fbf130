-- Loads the password hash of person $1.
SELECT name, hash
  FROM person
 WHERE name = $1;
