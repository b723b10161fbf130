-- Adds a handoff.
INSERT INTO handoff (id, task, sender, receiver, holder, state, priority, since, not_before, due_at,
                     claim_epoch, fingerprint, is_begun, is_open, is_live, progress,
                     last_n, awaits_sender, judge, reviewed_at, failed_n, checksum)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
        $21, row_checksum($16));
