-- Adds leaves to project $1: numbers $2, times $3, types $4, handoffs $5, numbers $6 of the previous leaf of
-- the handoff, JSON $7, details $8.
INSERT INTO leaf (project, n, at, type, handoff, previous_n, body, detail)
SELECT $1, new.*
  FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[],
              $8::text[]) AS new;
