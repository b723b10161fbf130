-- Adds leaf $1: time $2, type $3, handoff $4, number $5 of the handoff's previous leaf, JSON $6, detail $7.
INSERT INTO leaf (n, at, type, handoff, previous_n, body, detail, checksum)
VALUES ($1, $2, $3, $4, $5, $6, $7, row_checksum($1, $7));
