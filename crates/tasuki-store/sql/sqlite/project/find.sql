-- Finds a project with name $1 or id $2.
-- Uses both unique keys.
SELECT name
  FROM project
 WHERE name = $1
UNION ALL
SELECT name
  FROM project
 WHERE id = $2
 LIMIT 1;
