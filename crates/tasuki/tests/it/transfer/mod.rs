//! `tasuki export` and `tasuki import`, between SQLite and PostgreSQL.

mod commands;
mod postgres;
