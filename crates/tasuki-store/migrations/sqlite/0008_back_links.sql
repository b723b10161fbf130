-- database: project
-- Every leaf of a handoff names the one before it, and a handoff its last one: that is how they are
-- found. An index of them cost every step an entry and its page.
ALTER TABLE handoff ADD COLUMN last_n INTEGER NOT NULL DEFAULT 0 CHECK (last_n >= 0);
