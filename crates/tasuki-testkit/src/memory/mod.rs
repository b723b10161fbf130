//! The reference implementation of a store: maps behind a lock, simple before fast.
//!
//! `tables` and `search` define the meaning of each query; the conformance suite compares every
//! other store with them. It refuses invalid writes, such as a gap in the log, and can fail on
//! request.

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
