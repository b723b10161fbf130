-- At most $2 leaves from number $1 on.
-- Uses the primary key.
SELECT n, at, kind, handoff, leaf, detail, previous, (SELECT project FROM head WHERE only_row = 1)
  FROM leaf
 WHERE n >= $1
 ORDER BY n
 LIMIT $2;
