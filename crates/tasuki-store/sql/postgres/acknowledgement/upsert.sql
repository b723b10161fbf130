-- Records that party $2 of project $1 has seen the failures $4 of the handoffs $3.
INSERT INTO acknowledgement AS a (project, party, handoff, n)
SELECT $1, $2, new.handoff, max(new.n)
  FROM unnest($3::text[], $4::bigint[]) AS new (handoff, n)
 GROUP BY new.handoff
    ON CONFLICT (project, party, handoff) DO UPDATE SET n = greatest(a.n, excluded.n);
