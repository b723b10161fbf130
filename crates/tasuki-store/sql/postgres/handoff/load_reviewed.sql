-- Loads the handoffs with the last decision of a person about each of the tasks $2 of project $1.
-- Uses index handoff_reviewed.
SELECT h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, h.not_before,
       h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, f.body, h.seq,
       h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n
  FROM unnest($2::text[]) AS wanted (task)
  CROSS JOIN LATERAL (
    SELECT * FROM handoff
     WHERE handoff.project = $1 AND handoff.task = wanted.task AND handoff.reviewed_at IS NOT NULL
     ORDER BY handoff.reviewed_at DESC, handoff.id DESC
     LIMIT 1
  ) AS h
  CROSS JOIN LATERAL (
    SELECT facts.body FROM facts WHERE facts.project = $1 AND facts.seq = h.seq OFFSET 0
  ) AS f;
