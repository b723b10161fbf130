-- Lists facts without a handoff. Scans the table.
SELECT f.seq
  FROM facts AS f
 WHERE NOT EXISTS (SELECT 1 FROM handoff AS h WHERE h.seq = f.seq);
