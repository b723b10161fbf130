-- Lists the uses of tokens whose checksum is wrong. Scans the table.
SELECT token
  FROM token_use
 WHERE checksum <> row_checksum(token, at);
