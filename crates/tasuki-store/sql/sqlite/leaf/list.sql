-- Lists at most $2 leaves from number $1 on.
-- Uses the primary key.
SELECT n, at, type, handoff, previous_n, body, detail
  FROM leaf
 WHERE n >= $1
 ORDER BY n
 LIMIT $2;
