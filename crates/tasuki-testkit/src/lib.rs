//! Test support. Nothing in this crate is shipped.
//!
//! A manual clock, a memory store, samples, a conformance suite for stores, the simulator, and a
//! checker of recorded histories.
//! Tests of the repository itself are in `tests/tidy`.
//!
//! This crate knows neither the SQL store nor the server: a test passes in what it checks.

#![expect(clippy::missing_panics_doc, reason = "a case fails by panicking")]

/// A manual clock and seeded randomness.
pub mod clock;

/// Seeded random choices.
pub mod random;

/// The reference implementation of a store.
pub mod memory;

/// Valid handoffs, documents and leaves to store.
pub mod samples;

/// The conformance suite for stores.
pub mod conformance;

/// Checks recorded histories of claims for linearizability.
pub mod histories;

/// The simulator: random commands and faults from a seed, and the invariants that must hold.
pub mod sim;
