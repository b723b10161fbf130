-- Sets the cursor of subscription $2 of project $1: leaf $3, failing since $4, next try at $5, $6 attempts.
-- Changes no row if the project is unknown.
INSERT INTO cursor (project, subscription, n, failing_since, next_try_at, attempts)
SELECT project, $2::text, $3::bigint, $4::bigint, $5::bigint, $6::bigint
  FROM head
 WHERE project = $1
    ON CONFLICT (project, subscription)
    DO UPDATE SET n = excluded.n, failing_since = excluded.failing_since,
       next_try_at = excluded.next_try_at, attempts = excluded.attempts;
