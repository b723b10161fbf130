-- Counts the leaves of project $1, and returns the number after the last one. Scans its leaves.
SELECT count(*), coalesce(max(n) + 1, 0)
  FROM leaf
 WHERE project = $1;
