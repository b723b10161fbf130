//! Contracts: named, versioned agreements on an edge from sender to receiver.
//!
//! A contract has five parts: schema, scope, confidence, provenance and fallback. The modules
//! follow its life:
//!
//! 1. A document is read ([`Contract::read`]).
//! 2. Its schemas are compiled ([`CompiledContract`]).
//! 3. A set of contracts is checked ([`mod@check`]) and drawn ([`graph`]).
//! 4. Packets are checked against a contract, and older packets are converted ([`convert_up`]).
//!
//! This module opens no files: the caller supplies documents and schemas.
//!
//! ```
//! use serde_json::json;
//! use tasuki_packet::Packet;
//! use tasuki_packet::policy::contract::{CompiledContract, Contract};
//!
//! let contract = Contract::read(&json!({
//!     "contract": "review",
//!     "version": "1.0",
//!     "from": ["coder"],
//!     "to": ["role:reviewer"],
//!     "confidence": {"required": true, "hold_below": 0.7},
//! }))
//! .unwrap();
//! let compiled = CompiledContract::new(&contract, &()).unwrap();
//!
//! let packet = json!({"from_agent": "coder", "to_agent": "ana", "contract": "review@1.0"});
//! let violations = compiled.check(&Packet::from_value(packet).unwrap());
//! assert_eq!(violations[0].code.as_str(), "TK-CONFIDENCE-MISSING");
//! ```

mod apply;
pub mod check;
mod compatible;
mod convert;
mod document;
mod edges;
pub mod graph;
mod ladder;
mod loops;
mod profile;
mod read;
mod return_fields;
mod schema;
#[cfg(test)]
mod shipped;
mod terms;

pub use super::name::{Identity, PartyName, Version};
pub use apply::CompiledContract;
pub use compatible::breaking;
pub use convert::convert_up;
pub use document::{
    Confidence, Contract, Deadlines, Destination, FallbackReason, Lease, Park, Provenance,
    Reapproval, Returns, Rework, Rung, Scope, Verifier,
};
pub use graph::Graph;
pub(crate) use read::triggers;
pub(crate) use schema::CompiledSchema;
pub use schema::{SchemaSource, Schemas};

pub use super::risk::Risk;
