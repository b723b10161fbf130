//! The durable store of the exchange, on SQLite.
//!
//! A store is a directory: `exchange.db` with the data that all projects share, and one
//! `project.db` per project. Every project has one writing connection and a few reading ones. All
//! calls block until they are done, even where a trait of the engine returns a future. A caller
//! that must not block uses its own thread, as the engine does.
//!
//! Start with [`SqliteStore`]. `store` implements the traits of the engine, `maintenance` has
//! backup, restore, checks and repair, and both use `sqlite`. There, a commit goes through
//! `write::transaction` (lock, load) and `write::batch` (write, commit), and `row` decodes rows.
//! SQL is in `sql/`, one statement per file.

mod maintenance;
pub mod sqlite;
mod store;
#[cfg(test)]
mod testing;

pub use maintenance::doctor::{Depth, Finding};
pub use maintenance::orphaned_projects::OrphanedProject;
pub use maintenance::rebuild::RebuildReport;
pub use maintenance::restore::{Overwrite, Restore, RevokedToken, TruncatedLog};
pub use sqlite::migrate::VERSION;
pub use store::{Options, SqliteStore, Synchronous};
