//! Rules that several steps share.

/// Authorization: sender, receiver, person, operator, reader.
pub mod authorization;

/// Registers parties on first use, where the project allows it.
pub mod auto_register;

/// The causes of a hold: rule, gate, limit, trigger or earlier handoff.
pub mod causes;

/// Chains of handoffs: hops, authority, cost, and the fate of the parent.
pub mod chain;

/// Applies the effects of time: expired leases, missed deadlines, expired packets.
pub mod deadlines;

/// The people to whom rules, contracts and holders leave a decision.
pub mod deciders;

/// Gates and rules of the project on one edge.
pub mod edge_policy;

/// The fallback ladder: the next rung, finally the dead letter.
pub mod fallback;

/// The fencing check: only the newest claim may write.
pub mod fencing;

/// Gates: signatures that are missing, valid or expired.
pub mod gate;

/// The authority that a packet grants.
pub mod grants;

/// Decides what messages may quote of a handoff, and where a mailed code may decide.
pub mod messages;

/// Decides whether an offer is held for a person first.
pub mod offer;

/// The quota of open handoffs.
pub mod quota;

/// The people to notify of a pending action.
pub mod recipients;

/// Requires a person again for bytes that no person has approved.
pub mod review;

/// Sends a handoff to another receiver.
pub mod route;

/// The scopes that commands and reads need.
pub mod scopes;

/// Decides who may verify a return.
pub mod verifier;

pub use deciders::{deputies, sign_offs};
