-- Database: exchange
-- What all projects share: which there are, who may sign, which servers live.

-- The migrations that this database has seen, with the digests of their texts.
CREATE TABLE migration (
  number INTEGER NOT NULL PRIMARY KEY,
  digest TEXT    NOT NULL
) STRICT;

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
