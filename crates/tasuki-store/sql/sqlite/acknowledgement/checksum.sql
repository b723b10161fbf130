-- Lists the acknowledgements whose checksum is wrong. Scans the table.
SELECT party || ' ' || handoff
  FROM acknowledgement
 WHERE checksum <> row_checksum(party, handoff, n);
