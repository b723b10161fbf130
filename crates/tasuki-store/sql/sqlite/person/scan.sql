-- Lists all people. Scans the table.
SELECT name, hash
  FROM person
 ORDER BY name;
