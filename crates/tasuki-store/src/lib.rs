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

mod backup;
mod batch;
mod cache;
mod checkpoint;
mod connection;
mod delivery;
mod doctor;
mod exchange;
mod fault;
mod list;
mod migrate;
mod open_files;
mod partial;
mod project;
mod read;
mod rebuild;
mod register;
mod restore;
mod row;
mod search;
mod slot;
pub mod sql;
mod stamp;
mod store;
mod tally;
#[cfg(test)]
mod testing;
mod text;
mod told;
mod transaction;

pub use doctor::{Depth, Finding};
pub use migrate::VERSION;
pub use rebuild::Rebuilt;
pub use register::Unlisted;
pub use restore::{Cut, Overwrite, Restore};
pub use store::{Options, SqliteStore, Synchronous};
