-- Returns leaf $2 if it matches the expression $1.
SELECT rowid
  FROM search
 WHERE search MATCH $1
   AND rowid = $2;
