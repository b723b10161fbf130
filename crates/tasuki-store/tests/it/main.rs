//! The stores from outside: the conformance suite on each, and tests of their own.

#[cfg(test)]
mod audit_query;
#[cfg(test)]
mod backups;
#[cfg(test)]
mod clock;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod corrupt;
#[cfg(test)]
mod doctor;
#[cfg(test)]
mod files;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod flip_matrix;
#[cfg(test)]
mod lost_commits;
#[cfg(test)]
mod migrations;
#[cfg(test)]
mod multi_process;
#[cfg(test)]
mod plain_rows;
#[cfg(test)]
mod postgres;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod statements;
#[cfg(test)]
mod torn_writes;
#[cfg(test)]
mod transfer;
