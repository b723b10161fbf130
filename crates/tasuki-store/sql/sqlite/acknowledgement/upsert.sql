-- Records that party $1 has seen the failure $3 of handoff $2.
INSERT INTO acknowledgement (party, handoff, n, checksum)
VALUES ($1, $2, $3, row_checksum($1, $2, $3))
    ON CONFLICT (party, handoff) DO UPDATE SET n = max(n, excluded.n),
       checksum = row_checksum(party, handoff, max(n, excluded.n));
