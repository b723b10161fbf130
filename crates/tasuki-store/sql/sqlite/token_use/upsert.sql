-- Records that token $1 was used at $2.
INSERT INTO token_use (token, at, checksum)
VALUES ($1, $2, row_checksum($1, $2))
    ON CONFLICT (token) DO UPDATE SET at = max(at, excluded.at),
       checksum = row_checksum(token, max(at, excluded.at));
