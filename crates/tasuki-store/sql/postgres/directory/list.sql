-- Lists all entries of the directory of project $1, in the order in which they were last changed.
SELECT key, kind, body
  FROM directory
 WHERE project = $1
 ORDER BY seq;
