-- Moves what it can of the WAL into the database without waiting for anybody.
PRAGMA wal_checkpoint (PASSIVE);
