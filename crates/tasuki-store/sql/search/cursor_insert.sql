-- No leaf is in the full-text index yet.
INSERT INTO search_cursor (only_row, next_n)
VALUES (1, 0);
