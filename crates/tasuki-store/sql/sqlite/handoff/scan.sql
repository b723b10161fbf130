-- Lists at most $2 handoffs with numbers after $1, to read all of them page by page.
-- Uses the primary key.
SELECT h.id, h.task, h.sender, h.receiver, h.holder, h.state, h.priority, h.since, h.not_before,
       h.claim_epoch, h.fingerprint, h.is_begun, h.is_open, h.is_live, h.progress, f.body, h.seq,
       h.last_n, h.awaits_sender, h.judge, h.reviewed_at, h.failed_n, h.due_at,
       h.checksum = row_checksum(h.progress), f.checksum = row_checksum(f.body)
  FROM handoff AS h
  LEFT JOIN facts AS f ON f.seq = h.seq
 WHERE h.seq > $1
 ORDER BY h.seq
 LIMIT $2;
