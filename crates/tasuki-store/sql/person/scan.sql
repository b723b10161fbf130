-- All people. Looks at all of them.
SELECT name, hash
  FROM person
 ORDER BY name;
