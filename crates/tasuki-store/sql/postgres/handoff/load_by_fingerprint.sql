-- Loads open handoffs of project $1 with the fingerprints $2 whose task id was generated.
-- Uses index handoff_fingerprint.
SELECT h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, h.not_before,
       h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, f.body, h.seq,
       h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n
  FROM unnest($2::text[]) AS wanted (fingerprint)
  CROSS JOIN LATERAL (
    SELECT * FROM handoff
     WHERE handoff.project = $1 AND handoff.fingerprint = wanted.fingerprint
       AND handoff.is_open = 1 AND substr(handoff.task, 1, 4) = 'tsk_'
     OFFSET 0
  ) AS h
  CROSS JOIN LATERAL (
    SELECT facts.body FROM facts WHERE facts.project = $1 AND facts.seq = h.seq OFFSET 0
  ) AS f;
