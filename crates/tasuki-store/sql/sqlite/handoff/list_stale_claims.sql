-- Lists handoffs with a claim of an epoch before $1.
-- Uses index handoff_holder: there are as many claims as working parties.
SELECT id
  FROM handoff
 WHERE holder IS NOT NULL
   AND claim_epoch < $1
 ORDER BY holder, claim_epoch, id;
