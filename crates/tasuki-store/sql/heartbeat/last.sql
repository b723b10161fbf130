-- The last sign of life of any server; servers are few.
SELECT server, at
  FROM heartbeat
 ORDER BY at DESC
 LIMIT 1;
