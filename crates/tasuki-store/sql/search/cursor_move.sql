-- All leaves before $1 are in the index of words.
UPDATE search_cursor
   SET next_n = $1
 WHERE only_row = 1;
