//! Reads that change nothing.

pub mod continuation;
pub mod decisions;
pub mod events;
pub(crate) mod failures;
pub mod inbox;
pub mod resolve;
pub(crate) mod returns;
pub mod search;
pub mod stats;
pub mod trail;
