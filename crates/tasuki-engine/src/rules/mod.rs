//! Rules that several steps share.

/// The caller's part in a handoff: sender, receiver, person, operator, reader.
pub mod authorization;

/// Registers parties on first use, where the project allows it.
pub mod auto_register;

/// Chains of handoffs: hops, authority, cost, and what happens to a parent.
pub mod chain;

/// Applies what time has made due: lapsed leases, missed deadlines, expired packets.
pub mod deadlines;

/// Gates and rules of the project on one edge.
pub mod edge_policy;

/// The fallback ladder: the next rung, at last the dead letter.
pub mod fallback;

/// The fencing check: only the newest claim may write.
pub mod fencing;

/// Gates: signatures that are missing, valid or expired.
pub mod gate;

/// The authority that a packet grants.
pub mod grants;

/// Decides whether an offer is held for a person first.
pub mod offer;

/// The quota of open handoffs.
pub mod quota;

/// Who is notified of what waits for a person.
pub mod recipients;

/// Sends a handoff to another receiver.
pub mod route;

/// The scopes that commands and reads need.
pub mod scopes;

/// Decides who may verify a return.
pub mod verifier;
