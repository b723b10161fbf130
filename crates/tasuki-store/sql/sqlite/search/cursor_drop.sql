-- Drops the cursor table of the full-text index, if it exists.
DROP TABLE IF EXISTS search_cursor;
