-- Makes other writers of snapshots of task $2 of project $1 wait until the end of the transaction.
SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0));
