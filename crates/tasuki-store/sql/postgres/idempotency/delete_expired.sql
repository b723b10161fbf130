-- Deletes at most $3 keys of project $1 that have expired at $2. The limit bounds the cost of a batch after a
-- long pause.
-- Uses index idempotency_until.
DELETE FROM idempotency AS i
 USING (SELECT party, command, key_hash
          FROM idempotency
         WHERE project = $1
           AND until <= $2
         ORDER BY until
         LIMIT $3) AS expired
 WHERE i.project = $1
   AND i.party = expired.party
   AND i.command = expired.command
   AND i.key_hash = expired.key_hash;
