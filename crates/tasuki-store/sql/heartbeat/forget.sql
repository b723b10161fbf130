-- Forgets servers that have shown no sign of life since $1.
DELETE FROM heartbeat
 WHERE at < $1;
