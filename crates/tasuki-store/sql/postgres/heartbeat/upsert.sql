-- Records a heartbeat of server $1 at $2.
INSERT INTO heartbeat AS known (server, at)
VALUES ($1, $2)
    ON CONFLICT (server) DO UPDATE SET at = greatest(known.at, excluded.at);
