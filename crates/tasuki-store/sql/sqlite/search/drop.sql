-- Drops the full-text index, if it exists.
DROP TABLE IF EXISTS search;
