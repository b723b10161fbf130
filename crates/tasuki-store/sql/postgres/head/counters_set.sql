-- Sets the counters of project $1 to $2: begun, submitted, then each state.
UPDATE head
   SET commits = commits + 1,
       begun = ($2::bigint[])[1],
       submitted = ($2::bigint[])[2],
       held = ($2::bigint[])[3],
       offered = ($2::bigint[])[4],
       claimed = ($2::bigint[])[5],
       returned = ($2::bigint[])[6],
       done = ($2::bigint[])[7],
       passed_on = ($2::bigint[])[8],
       rejected = ($2::bigint[])[9],
       cancelled = ($2::bigint[])[10],
       discarded = ($2::bigint[])[11],
       dead = ($2::bigint[])[12]
 WHERE project = $1;
