-- Database: exchange
-- When each token was last shown to a server, to the hour. Nothing of this is part of the log:
-- whoever loses it does not know for a while.

CREATE TABLE token_use (
  token TEXT    NOT NULL PRIMARY KEY,
  at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
