-- Lists at most $3 leaves before $2 that match the full-text query $1, newest first.
-- Uses the full-text index in its order.
SELECT rowid
  FROM search
 WHERE search MATCH $1
   AND rowid < $2
 ORDER BY rowid DESC
 LIMIT $3;
