-- Loads the handoffs of project $1 with the ids $2.
-- The order makes the planner use the index of ids, even if it still takes the table for empty.
SELECT h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, h.not_before,
       h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, f.body, h.seq,
       h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n
  FROM unnest($2::text[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT * FROM handoff
     WHERE handoff.project = $1 AND handoff.id >= wanted.id
     ORDER BY handoff.id
     LIMIT 1
  ) AS h
  CROSS JOIN LATERAL (
    SELECT facts.body FROM facts WHERE facts.project = $1 AND facts.seq = h.seq OFFSET 0
  ) AS f
 WHERE h.id = wanted.id;
