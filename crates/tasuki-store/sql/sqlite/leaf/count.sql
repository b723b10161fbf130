-- Counts the leaves, and returns the number after the last one. Scans the table.
SELECT count(*), coalesce(max(n) + 1, 0)
  FROM leaf;
