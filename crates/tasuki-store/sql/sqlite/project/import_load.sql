-- Loads the unfinished import: the digest of its file and the last stored line.
SELECT file, line
  FROM import;
