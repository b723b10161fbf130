-- Lists the heartbeats whose checksum is wrong. Scans the table.
SELECT server
  FROM heartbeat
 WHERE checksum <> row_checksum(server, at);
