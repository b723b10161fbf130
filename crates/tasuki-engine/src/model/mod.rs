//! The things the rules work on, as values.

/// A handoff and its state.
pub mod handoff;

/// What the rules need to know of a packet.
pub mod packet_summary;

/// What contract, gates and project have fixed for one handoff.
pub mod terms;

/// Packets, checkpoints, returns, reasons: the texts that events bring.
pub mod document;

/// Reasons, and the documents they stand in.
pub mod reason;

/// The authenticated caller.
pub mod principal;

/// What one decision asks for, committed together.
pub mod change;

/// What is known while a batch is decided.
pub mod state;

/// What a step is handed.
pub mod context;

/// The randomness of one command.
pub mod seed;

/// Time that does not count.
pub mod pauses;

/// How urgent a handoff is.
pub mod urgency;

/// How instants are stored.
pub(crate) mod serde_time;

/// Parties, contracts, gates, rules and settings of a project.
pub mod directory;

/// Filters over events.
pub mod event_filter;

/// What waits for a person.
pub mod pending_action;
