-- Forgets all counts, before they are set anew.
DELETE FROM tally;
