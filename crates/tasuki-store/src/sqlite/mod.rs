//! The SQLite backend: connections, migrations, writes and reads.
//!
//! `store` implements the traits of the engine, and `maintenance` has backup, restore, checks and
//! repair. A commit goes through `write::transaction` (lock, load) and `write::batch` (write,
//! commit).

pub(crate) mod bind;
pub mod checksum;
pub(crate) mod connection;
pub(crate) mod counters;
pub(crate) mod exchange;
pub(crate) mod fault;
pub(crate) mod files;
pub(crate) mod handoff_list;
pub(crate) mod maintenance;
pub mod migrate;
pub(crate) mod project;
pub(crate) mod read;
pub(crate) mod read_only;
pub(crate) mod search;
pub mod statements;
pub(crate) mod store;
pub(crate) mod wal_checkpoint;
pub(crate) mod write;
