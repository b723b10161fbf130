-- Counts handoffs by state and by whether they were begun. Scans the table.
SELECT state, is_begun = 1 AS is_begun, count(*)
  FROM handoff
 GROUP BY state, is_begun = 1
 ORDER BY state, is_begun;
