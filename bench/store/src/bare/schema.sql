-- Immutable documents are separate from the small rows that change.
CREATE TABLE IF NOT EXISTS packet (
    number INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS return_packet (
    number INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS handoff (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    task TEXT NOT NULL,
    sender TEXT NOT NULL,
    receiver TEXT NOT NULL,
    status TEXT NOT NULL,
    revision INTEGER NOT NULL,
    digest TEXT NOT NULL,
    token INTEGER NOT NULL,
    holder TEXT,
    lease_until INTEGER,
    submitted_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS handoff_pending
    ON handoff (receiver, submitted_at, id) WHERE status = 'offered';

CREATE TABLE IF NOT EXISTS leaf (
    n INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT;
