-- Adds snapshot $3 of task $2 of project $1: time $4, record $5, bundle $6.
INSERT INTO snapshot (project, task, number, at, record, bundle)
VALUES ($1, $2, $3, $4, $5, $6);
