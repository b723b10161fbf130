-- Lists at most $3 leaves of project $1 from number $2 on.
SELECT n, at, type, handoff, previous_n, body, detail
  FROM leaf
 WHERE project = $1
   AND n >= $2
 ORDER BY n
 LIMIT $3;
