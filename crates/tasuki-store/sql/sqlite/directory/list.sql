-- Lists all entries of the directory, in the order in which they were last changed.
SELECT key, kind, body
  FROM directory
 ORDER BY seq;
