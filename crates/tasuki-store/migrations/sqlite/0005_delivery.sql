-- Database: project
-- Where each subscription stands in the log, and what became of its last deliveries. Nothing of
-- this is part of the log: whoever loses it delivers again.

CREATE TABLE cursor (
  subscription  TEXT    NOT NULL PRIMARY KEY,
  n             INTEGER NOT NULL CHECK (n >= 0),
  failing_since INTEGER,
  next_try_at   INTEGER,
  attempts      INTEGER NOT NULL CHECK (attempts >= 0)
) STRICT, WITHOUT ROWID;

-- Each subscription counts its own attempts, so that the oldest are found without counting.
CREATE TABLE delivery (
  subscription TEXT    NOT NULL,
  number       INTEGER NOT NULL,
  n            INTEGER NOT NULL CHECK (n >= 0),
  at           INTEGER NOT NULL,
  attempt      INTEGER NOT NULL CHECK (attempt >= 0),
  status       INTEGER,
  millis       INTEGER NOT NULL CHECK (millis >= 0),
  response     TEXT    NOT NULL CHECK (octet_length(response) <= 256),
  PRIMARY KEY (subscription, number)
) STRICT, WITHOUT ROWID;
