-- Replaces the reading of the clock: start $1 of the machine, microseconds $2 since then, wall clock
-- $3, and the last step forward from $4 to $5.
INSERT INTO clock (only_row, boot_id, elapsed, wall, step_from, step_until, checksum)
VALUES (1, $1, $2, $3, $4, $5, row_checksum(1, $1, $2, $3, $4, $5))
    ON CONFLICT (only_row) DO UPDATE SET boot_id = excluded.boot_id, elapsed = excluded.elapsed,
       wall = excluded.wall, step_from = excluded.step_from, step_until = excluded.step_until,
       checksum = excluded.checksum;
