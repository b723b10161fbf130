-- Lists the number of commits of each project. Scans the table.
SELECT project, commits
  FROM head;
