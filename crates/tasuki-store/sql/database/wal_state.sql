-- How many pages the WAL holds and how many of them are moved. Moves nothing.
PRAGMA wal_checkpoint (NOOP);
