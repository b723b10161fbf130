-- Returns the number of pages in the WAL and of those checkpointed. Changes nothing.
PRAGMA wal_checkpoint (NOOP);
