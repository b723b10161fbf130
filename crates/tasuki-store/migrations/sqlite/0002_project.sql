-- Database: project
-- One project: the head of its log, its directory, its handoffs, the leaves and their documents.
-- Times are microseconds since 1970; ids are stored as printed. Tables with large rows have a row
-- number as key: rows are appended, and an inner page of the B-tree holds hundreds of keys instead
-- of a few rows.
--
-- `checksum` is `row_checksum` of columns that nothing else checks: of all columns, or of those that
-- the comment of a table names.

-- The applied migrations, with the digests of their texts.
CREATE TABLE migration (
  number INTEGER NOT NULL PRIMARY KEY,
  digest TEXT    NOT NULL
) STRICT;

-- The end of the log. The last columns count handoffs: begun, submitted, and in each state. They
-- are here because every commit writes this row anyway; the checksum is without them.
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

-- Parties, contracts, gates, rules, settings. A changed entry gets a new number, so that numbers
-- are in the order of changes. The checksum is without the number.
CREATE TABLE directory (
  seq      INTEGER NOT NULL PRIMARY KEY,
  kind     TEXT    NOT NULL,
  key      TEXT    NOT NULL,
  body     TEXT    NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (kind, key)
) STRICT;

-- The state of a handoff. `progress` is JSON. All other columns except `due_at` are derived from
-- `progress` and the facts, for the indexes. The checksum is that of `progress`.
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

-- Ids grow with time, so that entries are appended. The parties are part of it, because an index
-- that starts with them would be written in as many places as there are parties.
CREATE UNIQUE INDEX handoff_id ON handoff (id, sender, receiver);

-- A task has one live handoff, as the engine ensures; it is found among those of its task.
CREATE INDEX handoff_task ON handoff (task);

-- The last decision of a person about a task. Few handoffs need one.
CREATE INDEX handoff_reviewed ON handoff (task, reviewed_at, id) WHERE reviewed_at IS NOT NULL;

-- Rejections, dead letters and notifications that reached no one. The sender reads only its own
-- entries; operators read all of them.
CREATE INDEX handoff_failed ON handoff (sender, priority, since, id, failed_n)
  WHERE failed_n IS NOT NULL;

-- A packet that names its task is found by the task. Fingerprints are random, so each would be
-- written to a different page.
CREATE INDEX handoff_fingerprint ON handoff (fingerprint)
  WHERE is_open = 1 AND substr(task, 1, 4) = 'tsk_';

CREATE INDEX handoff_offer ON handoff (receiver, priority, since, id, not_before)
  WHERE state = 'offered';

CREATE INDEX handoff_due ON handoff (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX handoff_holder ON handoff (holder, claim_epoch) WHERE holder IS NOT NULL;

-- Handoffs that wait for their sender: a return to verify or a question to answer. An inbox then
-- reads only its own entries.
CREATE INDEX handoff_awaits ON handoff (sender, priority, since, id) WHERE awaits_sender = 1;

-- Returns that another party verifies, because the sender did not in time.
CREATE INDEX handoff_judge ON handoff (judge, priority, since, id) WHERE judge IS NOT NULL;

-- The rare states. The common ones have their own index or none, so that a handoff that is offered,
-- claimed and done costs nothing here. With a list after `NOT IN`, SQLite would build a table of it
-- for every written handoff.
CREATE INDEX handoff_state ON handoff (state, id)
  WHERE state <> 'offered' AND state <> 'claimed' AND state <> 'done' AND state <> 'returned';

-- The facts of a handoff as JSON. They change rarely and are larger than the state, so they are not
-- written with every step. The checksum is that of `body`.
CREATE TABLE facts (
  seq      INTEGER NOT NULL PRIMARY KEY,
  body     TEXT    NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- The log: one row per event. `body` is the leaf exactly as it was hashed, `detail` the additional
-- members of the event; both are JSON. The other columns repeat members of the leaf: `at` is its
-- time, `previous_n` the number of the previous leaf of the same handoff. An index of leaves by
-- handoff would cost every step an entry, so leaves are found by these links, from `handoff.last_n`
-- back. The checksum is that of `n` and `detail`; the hash of the next leaf covers the body.
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

-- The documents of leaf `n`, in the order of `place`: packets, checkpoints, returns, reasons.
-- `body` is JSON. `source` is the original bytes, if they differ from the body. The checksum is that
-- of the first five columns; the commitment covers the others.
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

-- The responses to idempotency keys. `key_hash` is a hash of the key with the project's secret. The
-- checksum is without the number.
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

-- The last failure of a handoff that a party has acknowledged. It hides the failure from the party's
-- inbox and is not part of the log: if it is lost, the failure is shown again.
CREATE TABLE acknowledgement (
  party    TEXT    NOT NULL,
  handoff  TEXT    NOT NULL,
  n        INTEGER NOT NULL CHECK (n >= 0),
  checksum INTEGER NOT NULL,
  PRIMARY KEY (party, handoff)
) STRICT, WITHOUT ROWID;

-- The position of each subscription in the log. Cursors and deliveries are not part of the log: if
-- they are lost, events are delivered again.
CREATE TABLE cursor (
  subscription  TEXT    NOT NULL PRIMARY KEY,
  n             INTEGER NOT NULL CHECK (n >= 0),
  failing_since INTEGER,
  next_try_at   INTEGER,
  attempts      INTEGER NOT NULL CHECK (attempts >= 0),
  checksum      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last delivery attempts. Each subscription numbers its own, so that the oldest are found
-- without counting.
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

-- The full-text index: the words of documents and reasons, by the number of their leaf. The engine
-- splits texts into words, so that every database splits them alike. Only words are stored, no
-- texts.
CREATE VIRTUAL TABLE search USING fts5 (
  words, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
);

-- The first leaf that is not in the full-text index.
CREATE TABLE search_cursor (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  next_n   INTEGER NOT NULL CHECK (next_n >= 0),
  checksum INTEGER NOT NULL
) STRICT;

INSERT INTO search_cursor (only_row, next_n, checksum) VALUES (1, 0, row_checksum(0));
