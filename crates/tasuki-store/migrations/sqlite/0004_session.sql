-- Database: exchange
-- People who have signed in, by the hash of what their browser shows. A session ends within hours,
-- and one that is over is forgotten with the next that begins.

CREATE TABLE session (
  id_hash    BLOB    NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
  person     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen  INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
