-- Lists tasks of project $1 with more than one live handoff, which is an error, and how many they have. Scans
-- its handoffs.
SELECT task, count(*)
  FROM handoff
 WHERE project = $1
   AND is_live = 1
 GROUP BY task
HAVING count(*) > 1
 ORDER BY task;
