-- Lists all heartbeats. Scans the table.
SELECT server, at
  FROM heartbeat
 ORDER BY server;
