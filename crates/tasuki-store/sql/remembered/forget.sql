-- Forgets at most $2 answers whose time is over at $1.
-- Uses index remembered_until. Bounded, so that no batch pays for a long silence alone.
DELETE FROM remembered
 WHERE seq IN (SELECT seq
                 FROM remembered
                WHERE until <= $1
                ORDER BY until, seq
                LIMIT $2);
