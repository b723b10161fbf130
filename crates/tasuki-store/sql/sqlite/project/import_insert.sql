-- Begins an import: $1 digest of the first line of its file.
INSERT INTO import (only_row, file, line, checksum)
VALUES (1, $1, 0, row_checksum($1, 0));
