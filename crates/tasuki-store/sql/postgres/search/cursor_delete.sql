-- Starts the full-text index of project $1 over.
DELETE FROM search_cursor
 WHERE project = $1;
