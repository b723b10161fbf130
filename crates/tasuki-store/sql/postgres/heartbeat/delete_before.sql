-- Deletes servers without a heartbeat since $1.
DELETE FROM heartbeat
 WHERE at < $1;
