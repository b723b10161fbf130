-- database: project
-- What every commit pays for, with less of it.

-- The same rows as before. `NOT IN` with a list makes SQLite build that list anew, as a table of its
-- own, whenever a handoff is written.
DROP INDEX handoff_apart;

CREATE INDEX handoff_apart ON handoff (state, id)
  WHERE state <> 'offered' AND state <> 'claimed' AND state <> 'done';

-- That a task has one live handoff is for the engine to decide. It is found among those of its task.
DROP INDEX handoff_live;

-- Counts stand in the row that every commit writes anyway.
ALTER TABLE head ADD COLUMN begun     INTEGER NOT NULL DEFAULT 0 CHECK (begun >= 0);
ALTER TABLE head ADD COLUMN submitted INTEGER NOT NULL DEFAULT 0 CHECK (submitted >= 0);
ALTER TABLE head ADD COLUMN held      INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0);
ALTER TABLE head ADD COLUMN offered   INTEGER NOT NULL DEFAULT 0 CHECK (offered >= 0);
ALTER TABLE head ADD COLUMN claimed   INTEGER NOT NULL DEFAULT 0 CHECK (claimed >= 0);
ALTER TABLE head ADD COLUMN returned  INTEGER NOT NULL DEFAULT 0 CHECK (returned >= 0);
ALTER TABLE head ADD COLUMN done      INTEGER NOT NULL DEFAULT 0 CHECK (done >= 0);
ALTER TABLE head ADD COLUMN passed_on INTEGER NOT NULL DEFAULT 0 CHECK (passed_on >= 0);
ALTER TABLE head ADD COLUMN rejected  INTEGER NOT NULL DEFAULT 0 CHECK (rejected >= 0);
ALTER TABLE head ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled >= 0);
ALTER TABLE head ADD COLUMN discarded INTEGER NOT NULL DEFAULT 0 CHECK (discarded >= 0);
ALTER TABLE head ADD COLUMN dead      INTEGER NOT NULL DEFAULT 0 CHECK (dead >= 0);

UPDATE head
   SET begun     = (SELECT count FROM tally WHERE word = 'begun'),
       submitted = (SELECT count FROM tally WHERE word = 'submitted'),
       held      = (SELECT count FROM tally WHERE word = 'held'),
       offered   = (SELECT count FROM tally WHERE word = 'offered'),
       claimed   = (SELECT count FROM tally WHERE word = 'claimed'),
       returned  = (SELECT count FROM tally WHERE word = 'returned'),
       done      = (SELECT count FROM tally WHERE word = 'done'),
       passed_on = (SELECT count FROM tally WHERE word = 'passed_on'),
       rejected  = (SELECT count FROM tally WHERE word = 'rejected'),
       cancelled = (SELECT count FROM tally WHERE word = 'cancelled'),
       discarded = (SELECT count FROM tally WHERE word = 'discarded'),
       dead      = (SELECT count FROM tally WHERE word = 'dead');

DROP TABLE tally;
