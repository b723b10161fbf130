-- All signs of life. Looks at all of them.
SELECT server, at
  FROM heartbeat
 ORDER BY server;
