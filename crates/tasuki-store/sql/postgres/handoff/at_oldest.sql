-- Returns the id of project $1 that is $3 places after id $2, oldest first.
SELECT id
  FROM handoff
 WHERE project = $1
   AND id > $2
 ORDER BY id
 LIMIT 1 OFFSET $3;
