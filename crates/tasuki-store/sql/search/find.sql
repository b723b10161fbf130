-- At most $3 leaves before $2 with words as $1 asks, newest first.
-- Uses the index of words in its order.
SELECT rowid
  FROM search
 WHERE search MATCH $1
   AND rowid < $2
 ORDER BY rowid DESC
 LIMIT $3;
