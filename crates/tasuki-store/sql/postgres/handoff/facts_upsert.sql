-- Sets the facts of the handoffs with the numbers $2 of project $1 to $3.
INSERT INTO facts (project, seq, body)
SELECT $1, new.*
  FROM unnest($2::bigint[], $3::text[]) AS new
    ON CONFLICT (project, seq) DO UPDATE SET body = excluded.body;
