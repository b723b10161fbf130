-- Documents of handoff $1, oldest first: of kind $2, or all if that is null.
-- Uses index leaf_handoff, then the primary key: a document stands at the number of its leaf.
SELECT document.id, document.handoff, document.n, document.kind, body, source, salt, commitment, digest
  FROM leaf CROSS JOIN document
 WHERE leaf.handoff = $1
   AND document.seq >= leaf.n << 8
   AND document.seq < (leaf.n + 1) << 8
   AND document.handoff = $1
   AND ($2 IS NULL OR document.kind = $2)
 ORDER BY document.seq;
