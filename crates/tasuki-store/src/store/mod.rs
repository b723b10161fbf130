//! The store that the engine uses: an implementation of its traits on SQLite.

mod deliveries;
mod open_files;
mod sqlite_store;

pub use sqlite_store::{Options, SqliteStore, Synchronous};
