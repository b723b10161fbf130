-- Lists the reading of the clock if its checksum is wrong. The table has one row.
SELECT only_row
  FROM clock
 WHERE checksum <> row_checksum(only_row, boot_id, elapsed, wall, step_from, step_until);
