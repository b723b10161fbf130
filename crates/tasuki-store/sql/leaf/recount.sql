-- How many leaves there are, and the number after the last one. Looks at all leaves.
SELECT count(*), coalesce(max(n) + 1, 0)
  FROM leaf;
