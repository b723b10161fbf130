-- Deletes the full-text index of project $1.
DELETE FROM search
 WHERE project = $1;
