//! The PostgreSQL store from outside: the conformance suite, the simulation, and tests of its own.
//!
//! They need a database: `scripts/with-postgres COMMAND` starts one for a command.

mod audit_query;
mod conformance;
mod encryption;
mod fixture;
mod migrations;
mod repair;
mod sharing;
mod simulation;
mod statements;
mod transfer;
