-- Creates the table that holds how far the full-text index is, as the migrations do.
CREATE TABLE IF NOT EXISTS search_cursor (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  next_n   INTEGER NOT NULL CHECK (next_n >= 0)
) STRICT;
