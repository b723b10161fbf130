-- How many handoffs of each kind are in each state, counted.
-- Looks at all handoffs.
SELECT state, is_begun = 1 AS is_begun, count(*)
  FROM handoff
 GROUP BY state, is_begun = 1
 ORDER BY state, is_begun;
