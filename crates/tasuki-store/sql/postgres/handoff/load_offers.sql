-- Loads the first $4 offers of project $1 to the parties $2, most urgent first. Leaves out those that are
-- parked at $3, unless that is null.
-- Uses index handoff_offer.
SELECT h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, h.not_before,
       h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, f.body, h.seq,
       h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n
  FROM (SELECT DISTINCT party FROM unnest($2::text[]) AS named (party)) AS wanted
  CROSS JOIN LATERAL (
    SELECT * FROM handoff
     WHERE handoff.project = $1 AND handoff.receiver = wanted.party AND handoff.state = 'offered'
       AND ($3::bigint IS NULL OR handoff.not_before IS NULL OR handoff.not_before <= $3)
     ORDER BY handoff.priority, handoff.since, handoff.id
     LIMIT $4
  ) AS h
  CROSS JOIN LATERAL (
    SELECT facts.body FROM facts WHERE facts.project = $1 AND facts.seq = h.seq OFFSET 0
  ) AS f
 ORDER BY h.priority, h.since, h.id
 LIMIT $4;
