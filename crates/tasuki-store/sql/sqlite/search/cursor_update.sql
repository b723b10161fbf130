-- Records that all leaves before $1 are in the full-text index.
UPDATE search_cursor
   SET next_n = $1, checksum = row_checksum($1)
 WHERE only_row = 1;
