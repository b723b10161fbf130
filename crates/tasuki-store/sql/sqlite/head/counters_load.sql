-- Loads the counters: begun, submitted, then each state.
SELECT project, begun, submitted, held, offered, claimed, returned, done, passed_on, rejected,
       cancelled, discarded, dead
  FROM head
 WHERE only_row = 1;
