-- At most $2 leaves from number $1 on.
-- Uses the primary key.
SELECT n, at, kind, handoff, leaf, detail, previous
  FROM leaf
 WHERE n >= $1
 ORDER BY n
 LIMIT $2;
