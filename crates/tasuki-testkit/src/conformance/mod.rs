//! One suite that every store must pass.
//!
//! `store_conformance!(make)` makes a `#[test]` of each proof, where `make` gives a fresh store and
//! whatever keeps it alive. What a question means is said by the memory store; the proofs here are
//! examples of it, and `model` asks both stores at random.

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
