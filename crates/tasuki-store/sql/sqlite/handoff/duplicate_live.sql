-- Lists tasks with more than one live handoff, which is an error, and how many they have. Scans the table.
SELECT task, count(*)
  FROM handoff
 WHERE is_live = 1
 GROUP BY task
HAVING count(*) > 1
 ORDER BY task;
