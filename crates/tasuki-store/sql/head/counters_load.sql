-- How many handoffs were begun and submitted, and how many are in each state.
SELECT project, begun, submitted, held, offered, claimed, returned, done, passed_on, rejected,
       cancelled, discarded, dead
  FROM head
 WHERE only_row = 1;
