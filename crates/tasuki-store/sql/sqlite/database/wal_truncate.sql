-- Copies the whole WAL into the database and truncates it. Waits for readers and writers.
PRAGMA wal_checkpoint (TRUNCATE);
