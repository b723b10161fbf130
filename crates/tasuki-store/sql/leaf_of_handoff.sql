-- The leaves of handoff $1.
-- Uses index leaf_handoff.
SELECT n, at, kind, handoff, leaf, detail
  FROM leaf
 WHERE handoff = $1
 ORDER BY n;
