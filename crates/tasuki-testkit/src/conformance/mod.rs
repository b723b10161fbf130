//! The conformance suite that every store must pass.
//!
//! `store_conformance!(make)` creates a `#[test]` for each case, where `make` returns a new store
//! and a guard that keeps it alive. The memory store defines the meaning of each query. The cases
//! are examples of it, and `model` compares both stores with random queries.

mod case;
mod deliveries;
mod directory;
mod documents;
mod due;
mod idempotency;
mod loading;
mod log;
mod model;
mod people;
mod queries;
mod scale;
mod search;
mod suite;
mod transactions;
mod writer;

pub use deliveries::*;
pub use directory::*;
pub use documents::*;
pub use due::*;
pub use idempotency::*;
pub use loading::*;
pub use log::*;
pub use model::*;
pub use people::*;
pub use queries::*;
pub use scale::*;
pub use search::*;
pub use transactions::*;
