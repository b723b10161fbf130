-- Updates handoffs of project $1. The other parameters are lists, one for each column.
UPDATE handoff AS h
   SET task = new.task, sender = new.sender, receiver = new.receiver, holder = new.holder,
       state = new.state, priority = new.priority, since = new.since,
       not_before = new.not_before, due_at = new.due_at, claim_epoch = new.claim_epoch,
       fingerprint = new.fingerprint, is_begun = new.is_begun, is_open = new.is_open,
       is_live = new.is_live, progress = new.progress, last_n = new.last_n,
       awaits_sender = new.awaits_sender, judge = new.judge, reviewed_at = new.reviewed_at,
       failed_n = new.failed_n
  FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
              $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
              $13::bigint[], $14::text[], $15::bigint[], $16::bigint[], $17::bigint[],
              $18::text[], $19::bigint[], $20::bigint[], $21::text[], $22::bigint[],
              $23::bigint[])
       AS new (seq, id, task, sender, receiver, holder, state, priority, since, not_before,
               due_at, claim_epoch, fingerprint, is_begun, is_open, is_live, progress, last_n,
               awaits_sender, judge, reviewed_at, failed_n)
 WHERE h.project = $1
   AND h.seq = new.seq;
