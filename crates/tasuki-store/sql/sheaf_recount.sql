-- How many leaves all sheaves have, and the number behind the last of them. Looks at all sheaves.
SELECT coalesce(sum(leaves), 0), coalesce(max(n + leaves), 0)
  FROM sheaf;
