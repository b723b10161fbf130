-- Sets the cursor of a new full-text index to the first leaf.
INSERT INTO search_cursor (only_row, next_n)
VALUES (1, 0);
