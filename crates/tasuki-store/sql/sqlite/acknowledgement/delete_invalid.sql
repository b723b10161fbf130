-- Deletes the acknowledgements whose checksum is wrong. Scans the table.
DELETE FROM acknowledgement
 WHERE checksum <> row_checksum(party, handoff, n);
