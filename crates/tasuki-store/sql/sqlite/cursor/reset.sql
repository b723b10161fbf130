-- Moves the cursor of subscription $2 to leaf $1, without failures.
UPDATE cursor
   SET n = $1, failing_since = NULL, next_try_at = NULL, attempts = 0,
       checksum = row_checksum($2, $1, NULL, NULL, 0)
 WHERE subscription = $2;
