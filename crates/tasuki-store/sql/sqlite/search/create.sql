-- Creates the full-text index, empty, as the migrations do.
CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5 (
  words, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);
