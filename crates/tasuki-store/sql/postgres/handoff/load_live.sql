-- Loads the live handoffs of the tasks $2 of project $1.
-- Uses index handoff_task.
SELECT h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, h.not_before,
       h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, f.body, h.seq,
       h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n
  FROM handoff AS h
  JOIN facts AS f ON f.project = h.project AND f.seq = h.seq
 WHERE h.project = $1
   AND h.task = ANY ($2::text[])
   AND h.is_live = 1;
