-- Deletes the snapshots of task $2 of project $1 up to number $3.
DELETE FROM snapshot
 WHERE project = $1
   AND task = $2
   AND number <= $3;
