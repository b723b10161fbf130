-- Lists the documents of the leaves from number $1 to below $2.
-- Uses the primary key.
SELECT n, place, handoff, kind, id, body, source, salt, commitment, digest
  FROM document
 WHERE n >= $1
   AND n < $2
 ORDER BY n, place;
