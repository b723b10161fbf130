-- Lists at most $9 handoffs, newest first, before id $7 and down to id $8.
-- Uses index handoff_id in its order, which also holds the parties: a row is read only if they match.
-- Filters: states $1, receivers $2 and senders $3 as JSON lists, holder $4, task $5, ending $6. A null filter
-- matches everything.
SELECT id, priority, since
  FROM handoff
 WHERE ($1 IS NULL OR state IN (SELECT value FROM json_each($1)))
   AND ($2 IS NULL OR receiver IN (SELECT value FROM json_each($2)))
   AND ($3 IS NULL OR sender IN (SELECT value FROM json_each($3)))
   AND ($4 IS NULL OR holder = $4)
   AND ($5 IS NULL OR task = $5)
   AND ($6 IS NULL OR substr(id, -length($6)) = $6)
   AND id < $7
   AND id >= $8
 ORDER BY id DESC
 LIMIT $9;
