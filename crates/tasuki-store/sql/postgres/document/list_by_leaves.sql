-- Lists the documents of the leaves of project $1 from number $2 to below $3.
SELECT n, place, handoff, kind, id, body, source, salt, commitment, digest
  FROM document
 WHERE project = $1
   AND n >= $2
   AND n < $3
 ORDER BY n, place;
