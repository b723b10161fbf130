//! The proving ground. Nothing in here is shipped.
//!
//! A clock that moves when it is told, a store that is nothing but maps, samples of what stores keep,
//! and one suite that every store must pass. Tests about the repository itself are in `tests/tidy`.
//!
//! This crate knows neither the SQL store nor the server: a test hands it what it should prove.

#![expect(clippy::missing_panics_doc, reason = "a proof fails by panicking")]

/// A clock that moves when it is told, and randomness that repeats itself.
pub mod clock;

/// Numbers to choose with, that follow from a seed.
pub mod random;

/// The plain reference of a store.
pub mod memory;

/// Valid handoffs, documents and leaves to store.
pub mod samples;

/// One suite that every store must pass.
pub mod conformance;

/// From a seed to a small world in which everything goes wrong that can, and what must hold anyway.
pub mod sim;
