-- database: project
-- What waits for its sender, a return to judge or a question to answer, is found by the sender: nobody's
-- inbox has to look at the returns of all others.
ALTER TABLE handoff ADD COLUMN awaits_sender INTEGER NOT NULL DEFAULT 0 CHECK (awaits_sender IN (0, 1));

UPDATE handoff
   SET awaits_sender = 1
 WHERE state = 'returned'
    OR (state = 'offered'
        -- A row that somebody has damaged is for `doctor` to name, and no reason to open nothing.
        AND CASE WHEN json_valid(progress) THEN progress ->> '$.questions' IS NOT NULL END);

CREATE INDEX handoff_awaits ON handoff (sender, priority, since, id) WHERE awaits_sender = 1;

-- Returns are found there.
DROP INDEX handoff_apart;

CREATE INDEX handoff_apart ON handoff (state, id)
  WHERE state <> 'offered' AND state <> 'claimed' AND state <> 'done' AND state <> 'returned';
