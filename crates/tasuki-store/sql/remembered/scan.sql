-- Everything that was answered to keys. Looks at all of it.
SELECT key, request, answer, until, party, command
  FROM remembered
 ORDER BY seq;
