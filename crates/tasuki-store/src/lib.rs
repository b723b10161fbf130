//! The durable store of the exchange, on SQLite or PostgreSQL.
//!
//! [`ExchangeStore`] is what the binary uses: the ports of the engine, and maintenance.
//! [`Location`] opens one of its two implementations, and one conformance suite tests both.
//!
//! [`SqliteStore`] is a directory: `exchange.db` with the data that all projects share, and one
//! `project.db` per project. Its calls block until they are done, even where a trait of the engine
//! returns a future. A caller that must not block uses its own thread, as the engine does.
//! [`PostgresStore`] is a schema of a database that any number of processes share.
//!
//! What both do alike is beside them: `row` decodes rows, `batch` merges what a commit writes,
//! `search_words` has the words of the search index, and `findings` what checks report. SQL is in
//! `sql/`, one statement per file.

mod batch;
mod exchange_store;
mod findings;
mod options;
pub mod postgres;
mod row;
mod search_words;
pub mod sqlite;
#[cfg(test)]
mod testing;
pub mod transfer;
mod unfinished_import;

pub use exchange_store::{ExchangeStore, Location};
pub use findings::{Finding, RebuildReport};
pub use options::{Options, Synchronous};
pub use postgres::{PostgresStore, StoreUrl};
pub use sqlite::maintenance::doctor::Depth;
pub use sqlite::maintenance::orphaned_projects::OrphanedProject;
pub use sqlite::maintenance::restore::{Overwrite, Restore, RevokedToken, TruncatedLog};
pub use sqlite::migrate::VERSION;
pub use sqlite::store::SqliteStore;
