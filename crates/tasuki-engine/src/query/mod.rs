//! Reads that change nothing.

pub mod trail;

/// Resolves the handoff or claim that a caller names.
pub mod resolve;

/// The inbox of a party.
pub mod inbox;

/// Events, as streams show them.
pub mod events;

/// Full-text search.
pub mod search;

/// Statistics by edge.
pub mod stats;

/// The decisions of people, with what they saw.
pub mod decisions;

/// The brief of the next holder, and the chain for a person who takes over.
pub mod continuation;

/// Return packets, verdicts, open questions and claim statements.
pub(crate) mod returns;
