//! The memory of the exchange, on SQLite.
//!
//! A store is a directory: `exchange.db` with what all projects share, and one `project.db` for each
//! project. Every project has one connection that writes and a few beside it that only read. All
//! calls block until they are done, also where a trait of the engine hands out a future: whoever
//! must not wait asks on a thread of its own, as the engine's line does.
//!
//! Start with [`SqliteStore`]. The way of a batch is `transaction` (open, load), `batch` (write,
//! commit); `row` turns rows into what the engine knows, and is the only place that can find stored data
//! wrong. SQL stands in `sql/`, one statement to a file.

mod maintenance;
pub mod sqlite;
mod store;
#[cfg(test)]
mod testing;

pub use maintenance::doctor::{Depth, Finding};
pub use maintenance::orphaned_projects::Unlisted;
pub use maintenance::rebuild::Rebuilt;
pub use maintenance::restore::{Cut, Overwrite, Restore};
pub use sqlite::migrate::VERSION;
pub use store::{Options, SqliteStore, Synchronous};
