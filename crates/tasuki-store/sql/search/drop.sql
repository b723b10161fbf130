-- Takes the index of words away, whatever is left of it.
DROP TABLE IF EXISTS search;
