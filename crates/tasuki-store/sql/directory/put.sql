-- Adds or replaces the entry with kind $1 and key $2 by $3, which becomes the newest either way.
INSERT OR REPLACE INTO directory (kind, key, body)
VALUES ($1, $2, $3);
