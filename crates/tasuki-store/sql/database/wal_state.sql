-- Returns how many pages the WAL holds and how many are checkpointed. Changes nothing.
PRAGMA wal_checkpoint (NOOP);
