-- Lists at most $3 handoffs of project $1 with numbers after $2, to read all of them page by page. Facts that
-- are missing are null.
SELECT h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, h.not_before,
       h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, f.body, h.seq,
       h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n,
       h.due_at
  FROM handoff AS h
  LEFT JOIN facts AS f ON f.project = h.project AND f.seq = h.seq
 WHERE h.project = $1
   AND h.seq > $2
 ORDER BY h.seq
 LIMIT $3;
