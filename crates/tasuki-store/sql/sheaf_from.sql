-- The sheaves from the one on that leaf number $1 is in, or would be in.
-- Uses the primary key.
SELECT n, leaves, body, (SELECT project FROM head WHERE only_row = 1)
  FROM sheaf
 WHERE n >= coalesce((SELECT max(n) FROM sheaf WHERE n <= $1), $1)
 ORDER BY n;
