//! The rules of a handoff, with no database and no network in sight.
//!
//! Read the modules in the order they are declared. First what the rules speak of, then the steps
//! in the order in which a packet travels, then the line that makes decisions durable.
//!
//! Every step is one file with one pure `decide`: what is known, what is asked, who asks, when, and
//! the randomness drawn for it. It answers with a [`Change`](change::Change) or a
//! [`Refusal`](refusal::Refusal), and does nothing itself.

/// A handoff and its state.
pub mod handoff;

/// What the rules need to know of a packet.
pub mod sheet;

/// What contract, gates and project have fixed for one handoff.
pub mod terms;

/// Who can send and receive.
pub mod party;

/// Parties, contracts, gates, rules and settings of a project.
pub mod directory;

/// The authenticated caller.
pub mod principal;

/// Packets, checkpoints, returns, reasons: the texts that events bring.
pub mod document;

/// Every expected "no".
pub mod refusal;

/// A refusal, or a fault.
pub mod error;

/// What one decision asks for, committed together.
pub mod change;

/// What is known while a batch is decided.
pub mod state;

/// The randomness of one command.
pub mod draw;

/// What the exchange needs of its memory.
pub mod store;

/// Time and randomness.
pub mod clock;

/// Every bound and every default.
pub mod limits;
