-- When the first answer is to be forgotten.
-- Uses index remembered_until.
SELECT until
  FROM remembered
 WHERE until IS NOT NULL
 ORDER BY until
 LIMIT 1;
