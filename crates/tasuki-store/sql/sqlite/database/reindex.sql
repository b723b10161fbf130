-- Rebuilds all indexes from their tables.
REINDEX;
