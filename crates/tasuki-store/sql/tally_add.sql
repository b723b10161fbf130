-- Adds $1 to the count of $2.
UPDATE tally
   SET count = count + $1
 WHERE word = $2;
