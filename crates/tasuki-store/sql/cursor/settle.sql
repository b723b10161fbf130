-- At leaf $1, as if nothing had failed, subscription $2 goes on.
UPDATE cursor
   SET n = $1, failing_since = NULL, next_try_at = NULL, attempts = 0
 WHERE subscription = $2;
