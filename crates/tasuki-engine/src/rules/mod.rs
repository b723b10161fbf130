//! Rules that several steps share.

pub mod auto_register;

/// Who may ask for what.
pub mod authorization;

/// What each command and each question needs of a credential.
pub mod scopes;

/// Every offer is decided like the first: does a person have to look?
pub mod offer;

/// What must be signed off before.
pub mod gate;

/// Gates and rules of the project on one edge.
pub mod edge_policy;

/// The chain it continues.
pub mod chain;

/// Another receiver.
pub mod route;

/// The receiver cannot go on.
pub mod fallback;

/// What time does.
pub mod deadlines;

/// What waits for a person, and who is told of it.
pub mod recipients;

/// Who may verify a return.
pub mod verifier;

/// The quota of open handoffs.
pub mod quota;

/// The fencing check.
pub mod fencing;

/// The authority of a packet.
pub mod grants;
