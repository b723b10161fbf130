//! The proving ground. Nothing in here is shipped.
//!
//! A clock that moves when it is told, a store that is nothing but maps, and samples of what stores
//! keep. Tests about the repository itself are in `tests/tidy.rs`.
//!
//! This crate knows neither the SQL store nor the server: a test hands it what it should prove.

#![expect(clippy::missing_panics_doc, reason = "a proof fails by panicking")]

/// A clock that moves when it is told, and randomness that repeats itself.
pub mod clock;

/// The plain reference of a store.
pub mod memory;

/// Valid handoffs, documents and leaves to store.
pub mod samples;
