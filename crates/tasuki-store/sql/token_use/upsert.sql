-- Records that token $1 was used at $2.
INSERT INTO token_use (token, at)
VALUES ($1, $2)
    ON CONFLICT (token) DO UPDATE SET at = max(at, excluded.at);
