-- Lists all people.
SELECT name, hash
  FROM person
 ORDER BY name;
