-- Returns the id of project $1 that is $3 places after id $2, oldest first, or the last one there is,
-- and the number of places.
SELECT max(id) AS id, count(*) AS places
  FROM (SELECT id
          FROM handoff
         WHERE project = $1
           AND id > $2
         ORDER BY id
         LIMIT $3) AS skipped;
