-- Adds or replaces entries of project $1: kinds $2, keys $3, JSON $4. Either way they become the newest.
INSERT INTO directory (project, seq, kind, key, body)
SELECT $1, coalesce((SELECT max(seq) FROM directory WHERE project = $1), 0) + new.place, new.kind,
       new.key, new.body
  FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS new (kind, key, body, place)
    ON CONFLICT (project, kind, key) DO UPDATE SET seq = excluded.seq, body = excluded.body;
