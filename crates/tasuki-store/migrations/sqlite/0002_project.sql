-- Database: project
-- One project: the end of its log, its directory, its handoffs, their documents, the leaves.
-- Tables whose rows are large have a number of their own as key: rows are then appended, and a
-- page of the tree above them holds hundreds of keys instead of a few rows.

-- The migrations that this database has seen, with the digests of their texts.
CREATE TABLE migration (
  number INTEGER NOT NULL PRIMARY KEY,
  digest TEXT    NOT NULL
) STRICT;

CREATE TABLE head (
  only_row          INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  project           TEXT    NOT NULL,
  name              TEXT    NOT NULL,
  leaf_count        INTEGER NOT NULL CHECK (leaf_count >= 0),
  last_hash         BLOB    NOT NULL CHECK (length(last_hash) = 32),
  last_at           INTEGER NOT NULL,
  directory_version INTEGER NOT NULL CHECK (directory_version >= 0),
  claim_epoch       INTEGER NOT NULL CHECK (claim_epoch >= 0),
  is_halted         INTEGER NOT NULL CHECK (is_halted IN (0, 1)),
  token_floor       INTEGER NOT NULL CHECK (token_floor >= 0),
  fingerprint_key   BLOB    NOT NULL CHECK (length(fingerprint_key) = 32)
) STRICT;

-- Parties, contracts, gates, rules, settings. A changed entry gets a new number, so that the order
-- of numbers is the order of changes.
CREATE TABLE directory (
  seq  INTEGER NOT NULL PRIMARY KEY,
  kind TEXT    NOT NULL,
  key  TEXT    NOT NULL,
  body TEXT    NOT NULL,
  UNIQUE (kind, key)
) STRICT;

-- The state of a handoff. All columns but `due_at` and `progress` can be told from `progress` and
-- the facts; they are here to be found by.
CREATE TABLE handoff (
  seq         INTEGER NOT NULL PRIMARY KEY,
  id          TEXT    NOT NULL,
  task        TEXT    NOT NULL,
  sender      TEXT    NOT NULL,
  receiver    TEXT    NOT NULL,
  holder      TEXT,
  state       TEXT    NOT NULL,
  priority    INTEGER NOT NULL,
  since       INTEGER NOT NULL,
  not_before  INTEGER,
  due_at      INTEGER,
  claim_epoch INTEGER,
  fingerprint TEXT    NOT NULL,
  is_begun    INTEGER NOT NULL CHECK (is_begun IN (0, 1)),
  is_open     INTEGER NOT NULL CHECK (is_open IN (0, 1)),
  is_live     INTEGER NOT NULL CHECK (is_live IN (0, 1)),
  progress    TEXT    NOT NULL
) STRICT;

-- Ids grow with time, so that rows come to its end: parties stand here too, because an index that
-- starts with them would have to be written in as many places as there are parties.
CREATE UNIQUE INDEX handoff_id ON handoff (id, sender, receiver);
CREATE INDEX handoff_task ON handoff (task);
-- A task has one live handoff.
CREATE UNIQUE INDEX handoff_live ON handoff (task) WHERE is_live = 1;
-- A packet that names its task is found by it; fingerprints are random, and each would be written to
-- a page of its own.
CREATE INDEX handoff_fingerprint ON handoff (fingerprint)
  WHERE is_open = 1 AND substr(task, 1, 4) = 'tsk_';
CREATE INDEX handoff_offer ON handoff (receiver, priority, since, id, not_before)
  WHERE state = 'offered';
CREATE INDEX handoff_due ON handoff (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX handoff_holder ON handoff (holder, claim_epoch) WHERE holder IS NOT NULL;
-- States off the common way from offered over claimed to done, which then costs nothing here.
CREATE INDEX handoff_apart ON handoff (state, id)
  WHERE state NOT IN ('offered', 'claimed', 'done');

-- Facts change seldom and are larger than the state, so that they are not written with every step.
CREATE TABLE facts (
  seq  INTEGER NOT NULL PRIMARY KEY,
  body TEXT    NOT NULL
) STRICT;

-- The log: one row per event. `body` is the leaf exactly as it was hashed, `detail` what event streams say
-- besides, both JSON. The other columns repeat members of the leaf: `at` is its time in microseconds since
-- 1970, `previous_n` the number of the last leaf before it that is about the same handoff.
CREATE TABLE leaf (
  n          INTEGER NOT NULL PRIMARY KEY CHECK (n >= 0),
  at         INTEGER NOT NULL,
  type       TEXT    NOT NULL,
  handoff    TEXT,
  previous_n INTEGER,
  body       TEXT    NOT NULL,
  detail     TEXT    NOT NULL
) STRICT;

-- The documents that leaf `n` brought, in the order of `place`: packets, checkpoints, returns, reasons.
-- `body` is JSON. `source` is what was sent, byte for byte, where that is not the body.
-- A table with row numbers, because large rows make the tree of a table without them deep.
CREATE TABLE document (
  n          INTEGER NOT NULL CHECK (n >= 0),
  place      INTEGER NOT NULL CHECK (place >= 0),
  handoff    TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  body       TEXT    NOT NULL,
  source     BLOB,
  salt       BLOB    NOT NULL CHECK (length(salt) = 32),
  commitment BLOB    NOT NULL CHECK (length(commitment) = 32),
  digest     TEXT    NOT NULL,
  PRIMARY KEY (n, place)
) STRICT;

-- What was answered to idempotency keys.
CREATE TABLE remembered (
  seq     INTEGER NOT NULL PRIMARY KEY,
  party   TEXT    NOT NULL,
  command TEXT    NOT NULL,
  key     TEXT    NOT NULL,
  request TEXT    NOT NULL,
  answer  TEXT    NOT NULL,
  until   INTEGER,
  UNIQUE (party, command, key)
) STRICT;

CREATE INDEX remembered_until ON remembered (until) WHERE until IS NOT NULL;

-- How many handoffs are in each state, and how many were begun and submitted.
CREATE TABLE tally (
  word  TEXT    NOT NULL PRIMARY KEY,
  count INTEGER NOT NULL CHECK (count >= 0)
) STRICT, WITHOUT ROWID;

INSERT INTO tally (word, count)
VALUES ('begun', 0), ('submitted', 0), ('held', 0), ('offered', 0), ('claimed', 0), ('returned', 0),
       ('done', 0), ('passed_on', 0), ('rejected', 0), ('cancelled', 0), ('discarded', 0),
       ('dead', 0);
