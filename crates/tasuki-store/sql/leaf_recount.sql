-- How many leaves there are, counted, and the largest number. Looks at all leaves.
SELECT count(*), max(n)
  FROM leaf;
