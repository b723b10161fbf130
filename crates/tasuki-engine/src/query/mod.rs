//! Reads that change nothing.

pub mod trail;

/// Which handoff is meant.
pub mod resolve;

/// What waits for a party.
pub mod inbox;

/// What happened, as streams show it.
pub mod events;

/// What a search looks at.
pub mod search;

/// How work flows, edge by edge.
pub mod stats;

/// What people decided, with what they saw.
pub mod decisions;

/// What somebody is given to go on from, and a person to take over with.
pub mod continuation;

/// What came back, what was judged of it, and what the claimer said.
pub(crate) mod returns;
