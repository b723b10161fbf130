-- Lists the snapshots of task $2 of project $1, newest first.
SELECT record
  FROM snapshot
 WHERE project = $1
   AND task = $2
 ORDER BY number DESC;
