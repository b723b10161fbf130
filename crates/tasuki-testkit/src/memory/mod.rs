//! The plain reference of a store: maps behind a lock, simple before fast.
//!
//! What a question means is written down here once, in `tables` and `search`; the conformance suite
//! holds every other store to it. It refuses to write what no store should be asked to write, such
//! as a gap in the log, and it can be told to fail.

mod backup;
mod delivery;
mod people;
mod search;
mod store;
mod tables;
mod tamper;
mod transaction;

pub use backup::Backup;
pub use store::{FaultPoint, MemoryStore};
pub use tamper::TamperedTables;
