-- Returns the number of commits of project $1.
SELECT project, commits
  FROM head
 WHERE project = $1;
