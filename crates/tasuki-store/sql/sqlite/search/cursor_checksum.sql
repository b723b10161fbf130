-- Returns the cursor of the full-text index if its checksum is wrong.
SELECT only_row
  FROM search_cursor
 WHERE checksum <> row_checksum(next_n);
