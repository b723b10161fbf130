-- Ends the leases of server $1.
DELETE FROM lease
 WHERE server = $1;
