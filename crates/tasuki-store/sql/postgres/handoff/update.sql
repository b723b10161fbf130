-- Updates handoffs of project $1. The other parameters are lists, one for each column. A conflict always
-- finds its row through the primary key; the planner may join an UPDATE with the whole project.
INSERT INTO handoff (project, seq, id, task, sender, receiver, holder, state, priority, since,
                     not_before, due_at, claim_epoch, fingerprint, is_begun, is_open, is_live,
                     progress, last_n, awaits_sender, judge, reviewed_at, failed_n)
SELECT $1, new.*
  FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
              $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
              $13::bigint[], $14::text[], $15::bigint[], $16::bigint[], $17::bigint[],
              $18::text[], $19::bigint[], $20::bigint[], $21::text[], $22::bigint[],
              $23::bigint[]) AS new
ON CONFLICT (project, seq) DO UPDATE
   SET task = excluded.task, sender = excluded.sender, receiver = excluded.receiver,
       holder = excluded.holder, state = excluded.state, priority = excluded.priority,
       since = excluded.since, not_before = excluded.not_before, due_at = excluded.due_at,
       claim_epoch = excluded.claim_epoch, fingerprint = excluded.fingerprint,
       is_begun = excluded.is_begun, is_open = excluded.is_open, is_live = excluded.is_live,
       progress = excluded.progress, last_n = excluded.last_n,
       awaits_sender = excluded.awaits_sender, judge = excluded.judge,
       reviewed_at = excluded.reviewed_at, failed_n = excluded.failed_n;
