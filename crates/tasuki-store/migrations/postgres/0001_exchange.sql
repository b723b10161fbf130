-- An exchange on PostgreSQL: the tables of the SQLite store, in one schema, with the project as the
-- first column of every key. Times are microseconds since 1970, flags are 0 or 1, ids are stored as
-- printed, and text compares by its bytes, so that a query gives the same rows in the same order on
-- both. There are no row checksums: PostgreSQL has checksums of pages.

-- The data that all projects share.

CREATE TABLE project (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  id   TEXT COLLATE "C" NOT NULL UNIQUE
);

-- Password hashes of people, by the name of their party.
CREATE TABLE person (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  hash TEXT             NOT NULL
);

-- Sessions of people, by the hash of their cookie. Expired ones are deleted when the next one is
-- opened.
CREATE TABLE session (
  id_hash    BYTEA            NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
  person     TEXT COLLATE "C" NOT NULL,
  created_at BIGINT           NOT NULL,
  last_seen  BIGINT           NOT NULL,
  expires_at BIGINT           NOT NULL,
  remembered BIGINT           NOT NULL
);

-- Codes that were mailed to people, by hash. Each decides once about one version of a handoff.
CREATE TABLE mail_code (
  id_hash    BYTEA            NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
  project    TEXT COLLATE "C" NOT NULL,
  handoff    TEXT COLLATE "C" NOT NULL,
  person     TEXT COLLATE "C" NOT NULL,
  address    BYTEA            NOT NULL CHECK (length(address) = 32),
  receiver   TEXT COLLATE "C" NOT NULL,
  revision   BIGINT           NOT NULL,
  digest     TEXT COLLATE "C" NOT NULL,
  created_at BIGINT           NOT NULL,
  expires_at BIGINT           NOT NULL
);

-- The last use of each token, to the hour. It is not part of the log and may be lost.
CREATE TABLE token_use (
  token TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  at    BIGINT           NOT NULL
);

-- The newest reading of the clock by a process that had the right time, and the last step forward.
-- Processes that go by the clock of the database record none.
CREATE TABLE clock (
  only_row   BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
  boot_id    TEXT,
  elapsed    BIGINT,
  wall       BIGINT NOT NULL,
  step_from  BIGINT,
  step_until BIGINT
);

-- The last heartbeat of each server.
CREATE TABLE heartbeat (
  server TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  at     BIGINT           NOT NULL
);

-- Background work that one server does for all, until its lease ends.
CREATE TABLE lease (
  work   TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  server TEXT COLLATE "C" NOT NULL,
  until  BIGINT           NOT NULL
);

-- The import that is not finished yet: the digest of the first line of its file, and the last line
-- whose row is stored. While it is here, nothing else uses the store.
CREATE TABLE import (
  only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
  file     TEXT   NOT NULL,
  line     BIGINT NOT NULL CHECK (line >= 0)
);

-- The projects.

-- The end of the log. A transaction that writes to a project locks this row first, so that one
-- process at a time does. `begun` to `dead` count handoffs: begun, submitted, and in each state.
-- `commits` grows with every commit, so that other processes see that something changed.
CREATE TABLE head (
  project           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name              TEXT COLLATE "C" NOT NULL,
  leaf_count        BIGINT NOT NULL CHECK (leaf_count >= 0),
  last_hash         BYTEA  NOT NULL CHECK (length(last_hash) = 32),
  last_at           BIGINT NOT NULL,
  directory_version BIGINT NOT NULL CHECK (directory_version >= 0),
  claim_epoch       BIGINT NOT NULL CHECK (claim_epoch >= 0),
  is_halted         BIGINT NOT NULL CHECK (is_halted IN (0, 1)),
  fence_floor       BIGINT NOT NULL CHECK (fence_floor >= 0),
  fingerprint_key   BYTEA  NOT NULL CHECK (length(fingerprint_key) = 32),
  begun             BIGINT NOT NULL DEFAULT 0 CHECK (begun >= 0),
  submitted         BIGINT NOT NULL DEFAULT 0 CHECK (submitted >= 0),
  held              BIGINT NOT NULL DEFAULT 0 CHECK (held >= 0),
  offered           BIGINT NOT NULL DEFAULT 0 CHECK (offered >= 0),
  claimed           BIGINT NOT NULL DEFAULT 0 CHECK (claimed >= 0),
  returned          BIGINT NOT NULL DEFAULT 0 CHECK (returned >= 0),
  done              BIGINT NOT NULL DEFAULT 0 CHECK (done >= 0),
  passed_on         BIGINT NOT NULL DEFAULT 0 CHECK (passed_on >= 0),
  rejected          BIGINT NOT NULL DEFAULT 0 CHECK (rejected >= 0),
  cancelled         BIGINT NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
  discarded         BIGINT NOT NULL DEFAULT 0 CHECK (discarded >= 0),
  dead              BIGINT NOT NULL DEFAULT 0 CHECK (dead >= 0),
  commits           BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Parties, contracts, gates, rules, settings. A changed entry gets a new number, so that numbers
-- are in the order of changes.
CREATE TABLE directory (
  project TEXT COLLATE "C" NOT NULL,
  seq     BIGINT           NOT NULL,
  kind    TEXT COLLATE "C" NOT NULL,
  key     TEXT COLLATE "C" NOT NULL,
  body    TEXT             NOT NULL,
  PRIMARY KEY (project, seq),
  UNIQUE (project, kind, key)
);

-- The state of a handoff. `progress` is JSON. All other columns except `due_at` are derived from
-- `progress` and the facts, for the indexes. `seq` counts the handoffs of a project.
CREATE TABLE handoff (
  project       TEXT COLLATE "C" NOT NULL,
  seq           BIGINT           NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  task          TEXT COLLATE "C" NOT NULL,
  sender        TEXT COLLATE "C" NOT NULL,
  receiver      TEXT COLLATE "C" NOT NULL,
  holder        TEXT COLLATE "C",
  state         TEXT COLLATE "C" NOT NULL,
  priority      BIGINT           NOT NULL,
  since         BIGINT           NOT NULL,
  not_before    BIGINT,
  due_at        BIGINT,
  claim_epoch   BIGINT,
  fingerprint   TEXT COLLATE "C" NOT NULL,
  is_begun      BIGINT           NOT NULL CHECK (is_begun IN (0, 1)),
  is_open       BIGINT           NOT NULL CHECK (is_open IN (0, 1)),
  is_live       BIGINT           NOT NULL CHECK (is_live IN (0, 1)),
  progress      TEXT             NOT NULL,
  last_n        BIGINT           NOT NULL CHECK (last_n >= 0),
  awaits_sender BIGINT           NOT NULL CHECK (awaits_sender IN (0, 1)),
  judge         TEXT COLLATE "C",
  reviewed_at   BIGINT,
  failed_n      BIGINT,
  PRIMARY KEY (project, seq),
  UNIQUE (project, id)
);

-- A task has one live handoff, as the engine ensures; it is found among those of its task.
CREATE INDEX handoff_task ON handoff (project, task);

-- The last decision of a person about a task. Few handoffs need one.
CREATE INDEX handoff_reviewed ON handoff (project, task, reviewed_at, id)
  WHERE reviewed_at IS NOT NULL;

-- Rejections, dead letters and notifications that reached no one.
CREATE INDEX handoff_failed ON handoff (project, sender, priority, since, id)
  WHERE failed_n IS NOT NULL;

-- A packet that names its task is found by the task.
CREATE INDEX handoff_fingerprint ON handoff (project, fingerprint)
  WHERE is_open = 1 AND substr(task, 1, 4) = 'tsk_';

CREATE INDEX handoff_offer ON handoff (project, receiver, priority, since, id)
  WHERE state = 'offered';

CREATE INDEX handoff_due ON handoff (project, due_at, seq) WHERE due_at IS NOT NULL;

CREATE INDEX handoff_holder ON handoff (project, holder, claim_epoch) WHERE holder IS NOT NULL;

-- Handoffs that wait for their sender: a return to verify or a question to answer.
CREATE INDEX handoff_awaits ON handoff (project, sender, priority, since, id)
  WHERE awaits_sender = 1;

-- Returns that another party verifies.
CREATE INDEX handoff_judge ON handoff (project, judge, priority, since, id)
  WHERE judge IS NOT NULL;

-- The rare states. The common ones have their own index or none.
CREATE INDEX handoff_state ON handoff (project, state, id)
  WHERE state <> 'offered' AND state <> 'claimed' AND state <> 'done' AND state <> 'returned';

-- The facts of a handoff as JSON. They change rarely and are larger than the state, so they are not
-- written with every step.
CREATE TABLE facts (
  project TEXT COLLATE "C" NOT NULL,
  seq     BIGINT           NOT NULL,
  body    TEXT             NOT NULL,
  PRIMARY KEY (project, seq)
);

-- The log: one row per event. `body` is the leaf exactly as it was hashed, `detail` the additional
-- members of the event; both are JSON. The other columns repeat members of the leaf: `at` is its
-- time, `previous_n` the number of the previous leaf of the same handoff.
CREATE TABLE leaf (
  project    TEXT COLLATE "C" NOT NULL,
  n          BIGINT           NOT NULL CHECK (n >= 0),
  at         BIGINT           NOT NULL,
  type       TEXT COLLATE "C" NOT NULL,
  handoff    TEXT COLLATE "C",
  previous_n BIGINT,
  body       TEXT             NOT NULL,
  detail     TEXT             NOT NULL,
  PRIMARY KEY (project, n)
);

-- The documents of leaf `n`, in the order of `place`: packets, checkpoints, returns, reasons.
-- `body` is JSON. `source` is the original bytes, if they differ from the body.
CREATE TABLE document (
  project    TEXT COLLATE "C" NOT NULL,
  n          BIGINT           NOT NULL CHECK (n >= 0),
  place      BIGINT           NOT NULL CHECK (place >= 0),
  handoff    TEXT COLLATE "C" NOT NULL,
  kind       TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  body       TEXT             NOT NULL,
  source     BYTEA,
  salt       BYTEA            NOT NULL CHECK (length(salt) = 32),
  commitment BYTEA            NOT NULL CHECK (length(commitment) = 32),
  digest     TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (project, n, place)
);

-- The responses to idempotency keys. `key_hash` is a hash of the key with the project's secret.
CREATE TABLE idempotency (
  project  TEXT COLLATE "C" NOT NULL,
  party    TEXT COLLATE "C" NOT NULL,
  command  TEXT COLLATE "C" NOT NULL,
  key_hash TEXT COLLATE "C" NOT NULL,
  request  TEXT             NOT NULL,
  answer   TEXT             NOT NULL,
  until    BIGINT,
  PRIMARY KEY (project, party, command, key_hash)
);

CREATE INDEX idempotency_until ON idempotency (project, until) WHERE until IS NOT NULL;

-- The last failure of a handoff that a party has acknowledged. It is not part of the log: if it is
-- lost, the failure is shown again.
CREATE TABLE acknowledgement (
  project TEXT COLLATE "C" NOT NULL,
  party   TEXT COLLATE "C" NOT NULL,
  handoff TEXT COLLATE "C" NOT NULL,
  n       BIGINT           NOT NULL CHECK (n >= 0),
  PRIMARY KEY (project, party, handoff)
);

-- The position of each subscription in the log. Cursors and deliveries are not part of the log: if
-- they are lost, events are delivered again.
CREATE TABLE cursor (
  project       TEXT COLLATE "C" NOT NULL,
  subscription  TEXT COLLATE "C" NOT NULL,
  n             BIGINT           NOT NULL CHECK (n >= 0),
  failing_since BIGINT,
  next_try_at   BIGINT,
  attempts      BIGINT           NOT NULL CHECK (attempts >= 0),
  PRIMARY KEY (project, subscription)
);

-- The last delivery attempts. Each subscription numbers its own.
CREATE TABLE delivery (
  project      TEXT COLLATE "C" NOT NULL,
  subscription TEXT COLLATE "C" NOT NULL,
  number       BIGINT           NOT NULL,
  n            BIGINT           NOT NULL CHECK (n >= 0),
  at           BIGINT           NOT NULL,
  attempt      BIGINT           NOT NULL CHECK (attempt >= 0),
  status       BIGINT,
  millis       BIGINT           NOT NULL CHECK (millis >= 0),
  response     TEXT             NOT NULL CHECK (octet_length(response) <= 256),
  PRIMARY KEY (project, subscription, number)
);

-- Snapshots of work trees as git bundles, numbered per task. They are not part of the log.
CREATE TABLE snapshot (
  project TEXT COLLATE "C" NOT NULL,
  task    TEXT COLLATE "C" NOT NULL,
  number  BIGINT           NOT NULL,
  at      BIGINT           NOT NULL,
  record  TEXT             NOT NULL,
  bundle  BYTEA            NOT NULL,
  PRIMARY KEY (project, task, number)
);

-- The full-text index: the words of documents and reasons, by the number of their leaf. The engine
-- splits texts into words, so that every database splits them alike. Each word starts with the last
-- digits of the project, so that the index leads with it as well. A leaf with too many words for
-- the index has none, and every search looks at it.
CREATE TABLE search (
  project TEXT COLLATE "C" NOT NULL,
  n       BIGINT           NOT NULL,
  words   TSVECTOR,
  PRIMARY KEY (project, n)
);

CREATE INDEX search_words ON search USING gin (words);

CREATE INDEX search_without_words ON search (project, n) WHERE words IS NULL;

-- The first leaf that is not in the full-text index.
CREATE TABLE search_cursor (
  project TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  next_n  BIGINT           NOT NULL CHECK (next_n >= 0)
);
