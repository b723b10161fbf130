-- database: project
-- Leaves and documents are kept in sheaves (`sheaf.rs`). What is there is moved into them.

CREATE TABLE sheaf (
  n      INTEGER NOT NULL PRIMARY KEY CHECK (n >= 0),
  leaves INTEGER NOT NULL CHECK (leaves > 0),
  body   BLOB    NOT NULL
) STRICT;
