-- Copies as much of the WAL as possible into the database, without waiting.
PRAGMA wal_checkpoint (PASSIVE);
