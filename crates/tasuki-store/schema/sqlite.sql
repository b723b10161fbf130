-- The result of all migrations, generated: TASUKI_UPDATE=1 cargo test.

-- exchange.db

CREATE TABLE migration (
  number INTEGER NOT NULL PRIMARY KEY,
  digest TEXT    NOT NULL
) STRICT;

CREATE TABLE project (
  name     TEXT    NOT NULL PRIMARY KEY,
  id       TEXT    NOT NULL UNIQUE,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE person (
  name     TEXT    NOT NULL PRIMARY KEY,
  hash     TEXT    NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  id_hash    BLOB    NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
  person     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  remembered INTEGER NOT NULL,
  checksum   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE token_use (
  token    TEXT    NOT NULL PRIMARY KEY,
  at       INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE clock (
  only_row   INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  boot_id    TEXT,
  elapsed    INTEGER,
  wall       INTEGER NOT NULL,
  step_from  INTEGER,
  step_until INTEGER,
  checksum   INTEGER NOT NULL
) STRICT;

CREATE TABLE heartbeat (
  server   TEXT    NOT NULL PRIMARY KEY,
  at       INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE import (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  file     TEXT    NOT NULL,
  line     INTEGER NOT NULL CHECK (line >= 0),
  checksum INTEGER NOT NULL
) STRICT;

-- project.db

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
  fence_floor       INTEGER NOT NULL CHECK (fence_floor >= 0),
  fingerprint_key   BLOB    NOT NULL CHECK (length(fingerprint_key) = 32),
  checksum          INTEGER NOT NULL,
  begun             INTEGER NOT NULL DEFAULT 0 CHECK (begun >= 0),
  submitted         INTEGER NOT NULL DEFAULT 0 CHECK (submitted >= 0),
  held              INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
  offered           INTEGER NOT NULL DEFAULT 0 CHECK (offered >= 0),
  claimed           INTEGER NOT NULL DEFAULT 0 CHECK (claimed >= 0),
  returned          INTEGER NOT NULL DEFAULT 0 CHECK (returned >= 0),
  done              INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0),
  passed_on         INTEGER NOT NULL DEFAULT 0 CHECK (passed_on >= 0),
  rejected          INTEGER NOT NULL DEFAULT 0 CHECK (rejected >= 0),
  cancelled         INTEGER NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
  discarded         INTEGER NOT NULL DEFAULT 0 CHECK (discarded >= 0),
  dead              INTEGER NOT NULL DEFAULT 0 CHECK (dead >= 0)
) STRICT;

CREATE TABLE directory (
  seq      INTEGER NOT NULL PRIMARY KEY,
  kind     TEXT    NOT NULL,
  key      TEXT    NOT NULL,
  body     TEXT    NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (kind, key)
) STRICT;

CREATE TABLE handoff (
  seq           INTEGER NOT NULL PRIMARY KEY,
  id            TEXT    NOT NULL,
  task          TEXT    NOT NULL,
  sender        TEXT    NOT NULL,
  receiver      TEXT    NOT NULL,
  holder        TEXT,
  state         TEXT    NOT NULL,
  priority      INTEGER NOT NULL,
  since         INTEGER NOT NULL,
  not_before    INTEGER,
  due_at        INTEGER,
  claim_epoch   INTEGER,
  fingerprint   TEXT    NOT NULL,
  is_begun      INTEGER NOT NULL CHECK (is_begun IN (0, 1)),
  is_open       INTEGER NOT NULL CHECK (is_open IN (0, 1)),
  is_live       INTEGER NOT NULL CHECK (is_live IN (0, 1)),
  progress      TEXT    NOT NULL,
  last_n        INTEGER NOT NULL CHECK (last_n >= 0),
  awaits_sender INTEGER NOT NULL CHECK (awaits_sender IN (0, 1)),
  judge         TEXT,
  reviewed_at   INTEGER,
  failed_n      INTEGER,
  checksum      INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX handoff_id ON handoff (id, sender, receiver);

CREATE INDEX handoff_task ON handoff (task);

CREATE INDEX handoff_reviewed ON handoff (task, reviewed_at, id) WHERE reviewed_at IS NOT NULL;

CREATE INDEX handoff_failed ON handoff (sender, priority, since, id, failed_n)
  WHERE failed_n IS NOT NULL;

CREATE INDEX handoff_fingerprint ON handoff (fingerprint)
  WHERE is_open = 1 AND substr(task, 1, 4) = 'tsk_';

CREATE INDEX handoff_offer ON handoff (receiver, priority, since, id, not_before)
  WHERE state = 'offered';

CREATE INDEX handoff_due ON handoff (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX handoff_holder ON handoff (holder, claim_epoch) WHERE holder IS NOT NULL;

CREATE INDEX handoff_awaits ON handoff (sender, priority, since, id) WHERE awaits_sender = 1;

CREATE INDEX handoff_judge ON handoff (judge, priority, since, id) WHERE judge IS NOT NULL;

CREATE INDEX handoff_state ON handoff (state, id)
  WHERE state <> 'offered' AND state <> 'claimed' AND state <> 'done' AND state <> 'returned';

CREATE TABLE facts (
  seq      INTEGER NOT NULL PRIMARY KEY,
  body     TEXT    NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE leaf (
  n          INTEGER NOT NULL PRIMARY KEY CHECK (n >= 0),
  at         INTEGER NOT NULL,
  type       TEXT    NOT NULL,
  handoff    TEXT,
  previous_n INTEGER,
  body       TEXT    NOT NULL,
  detail     TEXT    NOT NULL,
  checksum   INTEGER NOT NULL
) STRICT;

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
  checksum   INTEGER NOT NULL,
  PRIMARY KEY (n, place)
) STRICT;

CREATE TABLE idempotency (
  seq      INTEGER NOT NULL PRIMARY KEY,
  party    TEXT    NOT NULL,
  command  TEXT    NOT NULL,
  key_hash TEXT    NOT NULL,
  request  TEXT    NOT NULL,
  answer   TEXT    NOT NULL,
  until    INTEGER,
  checksum INTEGER NOT NULL,
  UNIQUE (party, command, key_hash)
) STRICT;

CREATE INDEX idempotency_until ON idempotency (until) WHERE until IS NOT NULL;

CREATE TABLE acknowledgement (
  party    TEXT    NOT NULL,
  handoff  TEXT    NOT NULL,
  n        INTEGER NOT NULL CHECK (n >= 0),
  checksum INTEGER NOT NULL,
  PRIMARY KEY (party, handoff)
) STRICT, WITHOUT ROWID;

CREATE TABLE cursor (
  subscription  TEXT    NOT NULL PRIMARY KEY,
  n             INTEGER NOT NULL CHECK (n >= 0),
  failing_since INTEGER,
  next_try_at   INTEGER,
  attempts      INTEGER NOT NULL CHECK (attempts >= 0),
  checksum      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery (
  subscription TEXT    NOT NULL,
  number       INTEGER NOT NULL,
  n            INTEGER NOT NULL CHECK (n >= 0),
  at           INTEGER NOT NULL,
  attempt      INTEGER NOT NULL CHECK (attempt >= 0),
  status       INTEGER,
  millis       INTEGER NOT NULL CHECK (millis >= 0),
  response     TEXT    NOT NULL CHECK (octet_length(response) <= 256),
  checksum     INTEGER NOT NULL,
  PRIMARY KEY (subscription, number)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE search USING fts5 (
  words, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);

CREATE TABLE 'search_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE search_cursor (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  next_n   INTEGER NOT NULL CHECK (next_n >= 0),
  checksum INTEGER NOT NULL
) STRICT;
