-- Adds a document: leaf $1, place $2 among the documents of that leaf, handoff $3, kind $4, id $5, JSON $6,
-- source $7, salt $8, commitment $9, digest $10.
INSERT INTO document (n, place, handoff, kind, id, body, source, salt, commitment, digest,
                      checksum)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, row_checksum($1, $2, $3, $4, $5));
