-- Records a heartbeat of server $1 at $2.
INSERT INTO heartbeat (server, at)
VALUES ($1, $2)
    ON CONFLICT (server) DO UPDATE SET at = max(at, excluded.at);
