//! The leaf: what happened, as one entry of the project's log that nobody can change later.
//!
//! A leaf is RFC 8785 JSON of a closed shape. It never holds text of a packet or personal data: it
//! commits to documents with salted hashes ([`Commitment`]), names parties by id, and carries only
//! the attributes that [`EventType`] lists. Each leaf holds the hash of the one before
//! ([`check_chain`]), and the number of the last leaf of the same handoff, so that both the log and
//! the history of one handoff can be checked for gaps.
//!
//! Not here: writing leaves durably, tree heads and proofs over them.

mod attribute;
mod chain;
mod entry;
mod event;
mod hash;
mod read;
mod write;

pub use attribute::{Attribute, AttributeKind, Attributes};
pub use chain::{BrokenChain, Chain, check_chain, names_last_of_handoff};
pub use entry::{Actor, ActorKind, Authentication, Leaf, Regulation, Subject, class_of};
pub use event::EventType;
pub use hash::{Commitment, Hash, packet_salt};
pub use read::ParseLeafError;
