-- database: project
-- Every leaf of a handoff names the one before it, and a handoff its last one: that is how they are
-- found. An index of them cost every step an entry and its page.
ALTER TABLE leaf ADD COLUMN previous INTEGER;

ALTER TABLE handoff ADD COLUMN last_n INTEGER NOT NULL DEFAULT 0 CHECK (last_n >= 0);

UPDATE leaf
   SET previous = (SELECT max(before.n)
                     FROM leaf AS before
                    WHERE before.handoff = leaf.handoff
                      AND before.n < leaf.n)
 WHERE handoff IS NOT NULL;

UPDATE handoff
   SET last_n = coalesce((SELECT max(n) FROM leaf WHERE leaf.handoff = handoff.id), 0);

DROP INDEX leaf_handoff;
