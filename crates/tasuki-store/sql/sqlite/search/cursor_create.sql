-- Creates the cursor table of the full-text index, as the migrations do.
CREATE TABLE IF NOT EXISTS search_cursor (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  next_n   INTEGER NOT NULL CHECK (next_n >= 0),
  checksum INTEGER NOT NULL
) STRICT;
