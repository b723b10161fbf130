-- Loads the cursor of subscription $2 of project $1: a row of nulls if there is none, no row if the project is
-- unknown.
SELECT cursor.subscription, cursor.n, cursor.failing_since, cursor.next_try_at, cursor.attempts
  FROM head
  LEFT JOIN cursor ON cursor.project = head.project AND cursor.subscription = $2
 WHERE head.project = $1;
