-- Records that the tokens $1 were used at $2.
INSERT INTO token_use AS known (token, at)
SELECT new.token, max(new.at)
  FROM unnest($1::text[], $2::bigint[]) AS new (token, at)
 GROUP BY new.token
    ON CONFLICT (token) DO UPDATE SET at = greatest(known.at, excluded.at);
