-- Loads snapshot $3 of task $2 of project $1.
SELECT record, bundle
  FROM snapshot
 WHERE project = $1
   AND task = $2
   AND number = $3;
