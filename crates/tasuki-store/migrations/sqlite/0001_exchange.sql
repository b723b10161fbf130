-- Database: exchange
-- What all projects share: which there are, who may sign, which servers live.

CREATE TABLE project (
  name TEXT NOT NULL PRIMARY KEY,
  id   TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- Password hashes of people, by the name of their party.
CREATE TABLE person (
  name TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The last sign of life of each server.
CREATE TABLE heartbeat (
  server TEXT    NOT NULL PRIMARY KEY,
  at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
