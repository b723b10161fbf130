-- Returns the first leaf of project $1 that is not in the full-text index.
SELECT next_n
  FROM search_cursor
 WHERE project = $1;
