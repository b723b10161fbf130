-- Adds documents to project $1: leaves $2, places $3 among the documents of the leaf, handoffs $4, kinds $5,
-- ids $6, JSON $7, sources $8, salts $9, commitments $10, digests $11.
INSERT INTO document (project, n, place, handoff, kind, id, body, source, salt, commitment, digest)
SELECT $1, new.*
  FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
              $8::bytea[], $9::bytea[], $10::bytea[], $11::text[]) AS new;
