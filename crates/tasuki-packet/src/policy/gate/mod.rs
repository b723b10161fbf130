//! Gates: what must be signed off before a handoff is released, by whom, and by how many.
//!
//! A gate is a document (`gates/*.yaml`), read like a contract: every violation at once, nothing
//! unknown. It applies where a contract or a packet's `sign_off_gates` names it, and where what the
//! gate itself says of classification, regulation, trigger and edge holds of a handoff.
//!
//! Not here: who has signed and whether a gate is open. That is decided by the exchange, which
//! binds the digest of the gate when the handoff is submitted.

pub(crate) mod conditions;

pub(crate) mod packet_fields;

mod document;
mod read;
pub use conditions::{Conditions, Edge, GateContext};
pub use document::{Distinct, Factor, Gate, Opened};
pub use packet_fields::{classification, regulations, sign_off_gates};
pub(crate) use read::{check_filled, conditions, duplicate};
