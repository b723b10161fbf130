-- The first leaf that is not in the index of words.
SELECT next_n
  FROM search_cursor
 WHERE only_row = 1;
