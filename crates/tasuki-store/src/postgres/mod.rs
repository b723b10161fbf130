//! The PostgreSQL backend: connections, migrations, writes and reads.
//!
//! All projects are in one schema of one database, and any number of processes share it. A process
//! that writes to a project locks the head of its log first (`write::transaction`), so that batches
//! of different processes follow each other. The commit of a batch is one round trip: one statement
//! per table, then `COMMIT`.
//!
//! The store has a runtime of its own for its connections, so that its futures can be awaited on any
//! thread.

mod accounts;
mod changes;
mod clock;
pub(crate) mod connection;
mod deliveries;
pub(crate) mod fault;
mod handoff_list;
mod lease;
mod maintenance;
pub mod migrate;
mod read;
mod search;
mod snapshots;
pub mod statements;
mod store;
mod write;

pub use connection::url::StoreUrl;
pub use store::PostgresStore;
