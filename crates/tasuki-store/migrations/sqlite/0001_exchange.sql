-- Database: exchange
-- The data that all projects share: the list of projects, people and their sessions, token usage,
-- and the heartbeats of servers. Times are microseconds since 1970. `checksum` is `row_checksum` of
-- the other columns.

-- The applied migrations, with the digests of their texts.
CREATE TABLE migration (
  number INTEGER NOT NULL PRIMARY KEY,
  digest TEXT    NOT NULL
) STRICT;

CREATE TABLE project (
  name     TEXT    NOT NULL PRIMARY KEY,
  id       TEXT    NOT NULL UNIQUE,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Password hashes of people, by the name of their party.
CREATE TABLE person (
  name     TEXT    NOT NULL PRIMARY KEY,
  hash     TEXT    NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sessions of people, by the hash of their cookie. Expired ones are deleted when the next
-- one is opened.
CREATE TABLE session (
  id_hash    BLOB    NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
  person     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  remembered INTEGER NOT NULL,
  checksum   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Codes that were mailed to people, by hash. Each decides once about one version of a handoff.
CREATE TABLE mail_code (
  id_hash    BLOB    NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
  project    TEXT    NOT NULL,
  handoff    TEXT    NOT NULL,
  person     TEXT    NOT NULL,
  address    BLOB    NOT NULL CHECK (length(address) = 32),
  receiver   TEXT    NOT NULL,
  revision   INTEGER NOT NULL,
  digest     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  checksum   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last use of each token, to the hour. It is not part of the log and may be lost.
CREATE TABLE token_use (
  token    TEXT    NOT NULL PRIMARY KEY,
  at       INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The newest reading of the clock by a process that had the right time, and the last step forward.
CREATE TABLE clock (
  only_row   INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  boot_id    TEXT,
  elapsed    INTEGER,
  wall       INTEGER NOT NULL,
  step_from  INTEGER,
  step_until INTEGER,
  checksum   INTEGER NOT NULL
) STRICT;

-- The last heartbeat of each server.
CREATE TABLE heartbeat (
  server   TEXT    NOT NULL PRIMARY KEY,
  at       INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The import that is not finished yet: the digest of the first line of its file, and the last line
-- whose row is stored. While it is here, nothing else uses the store.
CREATE TABLE import (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  file     TEXT    NOT NULL,
  line     INTEGER NOT NULL CHECK (line >= 0),
  checksum INTEGER NOT NULL
) STRICT;
