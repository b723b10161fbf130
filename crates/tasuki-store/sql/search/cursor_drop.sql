-- Takes the place away where the index of words notes how far it is.
DROP TABLE IF EXISTS search_cursor;
