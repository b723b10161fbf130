-- Moves an import on: $1 last stored line, $2 the one before.
UPDATE import
   SET line = $1
 WHERE line = $2;
