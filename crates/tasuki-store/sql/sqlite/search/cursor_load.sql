-- Returns the first leaf that is not in the full-text index.
SELECT next_n
  FROM search_cursor
 WHERE only_row = 1;
