-- Handoff number $1 is about to have another task: it makes room in the old one before anybody else
-- takes that.
UPDATE handoff
   SET is_live = 0
 WHERE seq = $1;
