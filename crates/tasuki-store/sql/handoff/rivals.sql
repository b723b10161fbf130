-- Tasks with more than one live handoff, and how many. There should be none.
-- Looks at all handoffs.
SELECT task, count(*)
  FROM handoff
 WHERE is_live = 1
 GROUP BY task
HAVING count(*) > 1
 ORDER BY task;
