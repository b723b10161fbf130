-- Returns the last heartbeat of any server. There are few servers.
SELECT server, at
  FROM heartbeat
 ORDER BY at DESC
 LIMIT 1;
