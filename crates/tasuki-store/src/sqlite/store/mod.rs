//! The SQLite implementation of the engine's store traits.

mod accounts;
mod deliveries;
mod open_files;
mod open_projects;
mod snapshots;
mod sqlite_store;

pub use sqlite_store::SqliteStore;
