-- Returns the id of project $1 that is $3 places before id $2, newest first, or the last one there is,
-- and the number of places.
SELECT min(id) AS id, count(*) AS places
  FROM (SELECT id
          FROM handoff
         WHERE project = $1
           AND id < $2
         ORDER BY id DESC
         LIMIT $3) AS skipped;
