-- Lists at most $4 leaves of project $1 before $3 that match the query $2 or have too many words for the
-- index, newest first.
SELECT n
  FROM search
 WHERE project = $1
   AND n < $3
   AND (words @@ $2::text::tsquery OR words IS NULL)
 ORDER BY n DESC
 LIMIT $4;
