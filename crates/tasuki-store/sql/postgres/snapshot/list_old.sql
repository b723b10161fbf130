-- Lists the tasks of project $1 whose newest snapshot is older than $2. Scans the snapshots of the project.
SELECT task
  FROM snapshot
 WHERE project = $1
 GROUP BY task
HAVING max(at) < $2
 ORDER BY task;
