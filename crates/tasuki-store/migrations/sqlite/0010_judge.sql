-- database: project
-- A return that its sender has not judged in time is found by whoever judges it instead: nobody's inbox
-- has to look at the returns of all others. Only while it is returned, so that the index stays small.
ALTER TABLE handoff ADD COLUMN judge TEXT;

UPDATE handoff
   -- A row that somebody has damaged is for `doctor` to name, and no reason to open nothing.
   SET judge = CASE WHEN json_valid(progress) THEN progress ->> '$.judge' END
 WHERE awaits_sender = 1
   AND state = 'returned';

CREATE INDEX handoff_judge ON handoff (judge, priority, since, id) WHERE judge IS NOT NULL;
