-- At most $11 returns of their own senders.
-- They come in order $7 (`newest`, `oldest` or `urgent`) after the place $8, $9, $10.
-- Uses index handoff_judge: all that are judged in place of their senders are looked at.
-- States $1, receivers $2 and senders $3 are JSON lists, holder $4, task $5 and ending $6 are texts.
-- A null asks for nothing in particular.
SELECT id, priority, since
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
         ELSE (priority, since, id) > ($9, $10, $8)
       END
   AND judge IS NOT NULL
   AND judge = sender
 ORDER BY CASE $7 WHEN 'urgent' THEN priority END,
          CASE $7 WHEN 'urgent' THEN since END,
          CASE $7 WHEN 'newest' THEN id END DESC,
          id
 LIMIT $11;
