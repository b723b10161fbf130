-- Tells the listeners of channel $1 that the projects $2 have changed.
SELECT pg_notify($1, $2);
