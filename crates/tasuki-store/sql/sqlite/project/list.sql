-- Lists all projects by name.
SELECT name, id
  FROM project
 ORDER BY name;
