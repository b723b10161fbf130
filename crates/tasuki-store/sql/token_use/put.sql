-- At $2 the token $1 was used.
INSERT INTO token_use (token, at)
VALUES ($1, $2)
    ON CONFLICT (token) DO UPDATE SET at = max(at, excluded.at);
