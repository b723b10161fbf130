-- Acquires or renews the lease of work $1 for server $2, for $3 microseconds. Changes no row while another
-- server has it.
INSERT INTO lease (work, server, until)
VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $3)
    ON CONFLICT (work) DO UPDATE SET server = excluded.server, until = excluded.until
 WHERE lease.server = excluded.server
    OR lease.until <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
