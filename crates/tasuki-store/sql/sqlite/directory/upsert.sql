-- Adds or replaces the entry with kind $1 and key $2 by $3. Either way it becomes the newest.
INSERT OR REPLACE INTO directory (kind, key, body, checksum)
VALUES ($1, $2, $3, row_checksum($1, $2, $3));
