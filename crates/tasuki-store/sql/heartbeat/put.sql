-- At $2 the server $1 was there.
INSERT INTO heartbeat (server, at)
VALUES ($1, $2)
    ON CONFLICT (server) DO UPDATE SET at = max(at, excluded.at);
