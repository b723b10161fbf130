-- Lists facts of project $1 without a handoff. Scans the facts of the project.
SELECT f.seq
  FROM facts AS f
 WHERE f.project = $1
   AND NOT EXISTS (SELECT 1
                     FROM handoff AS h
                    WHERE h.project = f.project
                      AND h.seq = f.seq);
