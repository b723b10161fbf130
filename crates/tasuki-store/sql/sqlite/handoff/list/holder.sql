-- Lists at most $12 handoffs that party $11 holds.
-- Order $7 is `newest`, `oldest`, `urgent` or `deadline`; the list continues after the position $8, $9, $10.
-- A handoff without a deadline is behind those with one.
-- Uses index handoff_holder.
-- Filters: states $1, receivers $2 and senders $3 as JSON lists, holder $4, task $5, ending $6. A null filter
-- matches everything.
SELECT id, priority, since, coalesce(due_at, 253402207200999999)
  FROM handoff
 WHERE ($1 IS NULL OR state IN (SELECT value FROM json_each($1)))
   AND ($2 IS NULL OR receiver IN (SELECT value FROM json_each($2)))
   AND ($3 IS NULL OR sender IN (SELECT value FROM json_each($3)))
   AND ($4 IS NULL OR holder = $4)
   AND ($5 IS NULL OR task = $5)
   AND ($6 IS NULL OR substr(id, -length($6)) = $6)
   AND CASE $7
         WHEN 'newest' THEN id < $8
         WHEN 'oldest' THEN id > $8
         WHEN 'urgent' THEN (priority, since, id) > ($9, $10, $8)
         ELSE (coalesce(due_at, 253402207200999999), id) > ($10, $8)
       END
   AND holder = $11
 ORDER BY CASE $7 WHEN 'urgent' THEN priority END,
          CASE $7 WHEN 'urgent' THEN since
                  WHEN 'deadline' THEN coalesce(due_at, 253402207200999999) END,
          CASE $7 WHEN 'newest' THEN id END DESC,
          id
 LIMIT $12;
