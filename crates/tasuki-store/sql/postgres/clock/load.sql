-- Returns the newest reading of the clock. The table has one row.
SELECT only_row, boot_id, elapsed, wall, step_from, step_until
  FROM clock;
