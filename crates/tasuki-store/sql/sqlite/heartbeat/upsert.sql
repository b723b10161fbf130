-- Records a heartbeat of server $1 at $2.
INSERT INTO heartbeat (server, at, checksum)
VALUES ($1, $2, row_checksum($1, $2))
    ON CONFLICT (server) DO UPDATE SET at = max(at, excluded.at),
       checksum = row_checksum(server, max(at, excluded.at));
