-- Sets the cursor of a new full-text index to the first leaf.
INSERT INTO search_cursor (only_row, next_n, checksum)
VALUES (1, 0, row_checksum(0));
