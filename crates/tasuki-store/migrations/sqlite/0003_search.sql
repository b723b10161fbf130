-- Database: project
-- Words of documents and reasons, by the number of the leaf that brought them. The words are cut
-- by us, so that every database cuts them alike; only their presence is kept, the texts are not.

CREATE VIRTUAL TABLE search USING fts5 (
  words, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);

-- The first leaf that is not in the index.
CREATE TABLE search_cursor (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  next_n   INTEGER NOT NULL CHECK (next_n >= 0)
) STRICT;

INSERT INTO search_cursor (only_row, next_n) VALUES (1, 0);
