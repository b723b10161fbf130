-- All counts.
SELECT word, count
  FROM tally
 ORDER BY word;
