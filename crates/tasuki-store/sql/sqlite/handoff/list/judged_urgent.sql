-- Lists at most $11 returns that party $10 verifies instead of their senders, most urgent first, after the position
-- $7, $8, $9.
-- Uses index handoff_judge in its order: a page costs the same however many wait.
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
   AND (priority, since, id) > ($7, $8, $9)
   AND judge = $10
 ORDER BY priority, since, id
 LIMIT $11;
