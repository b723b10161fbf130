-- Loads the first $4 offers of project $1 to the parties $2, most urgent first. Leaves out those that are
-- parked at $3, unless that is null.
-- Uses index handoff_offer.
SELECT h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, h.not_before,
       h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, f.body, h.seq,
       h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n
  FROM handoff AS h
  JOIN facts AS f ON f.project = h.project AND f.seq = h.seq
 WHERE h.project = $1
   AND h.receiver = ANY ($2::text[])
   AND h.state = 'offered'
   AND ($3::bigint IS NULL OR h.not_before IS NULL OR h.not_before <= $3)
 ORDER BY h.priority, h.since, h.id
 LIMIT $4;
