-- Ends an import: $1 last stored line.
DELETE FROM import
 WHERE line = $1;
