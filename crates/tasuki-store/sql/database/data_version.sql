-- A number that moves when another connection has committed.
PRAGMA data_version;
