-- Counts handoffs of project $1 by state and by whether they were begun. Scans its handoffs.
SELECT state, is_begun, count(*)
  FROM handoff
 WHERE project = $1
 GROUP BY state, is_begun
 ORDER BY state, is_begun;
