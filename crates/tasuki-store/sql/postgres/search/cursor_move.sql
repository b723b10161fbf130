-- Moves the cursor of the full-text index of project $1 from $2 to $3, unless another process did.
INSERT INTO search_cursor AS cursor (project, next_n)
VALUES ($1, $3)
    ON CONFLICT (project) DO UPDATE SET next_n = excluded.next_n
 WHERE cursor.next_n = $2;
