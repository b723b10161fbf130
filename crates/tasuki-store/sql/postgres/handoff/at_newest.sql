-- Returns the id of project $1 that is $3 places before id $2, newest first.
SELECT id
  FROM handoff
 WHERE project = $1
   AND id < $2
 ORDER BY id DESC
 LIMIT 1 OFFSET $3;
