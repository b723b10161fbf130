//! Contracts: the named, versioned agreement on an edge from sender to receiver.
//!
//! Five parts belong in every contract: schema, scope, confidence, provenance and fallback. Read
//! the modules in the order of a contract's life: a document is read, its schemas are compiled, a
//! folder of them is checked and drawn, a packet is judged by one, an older packet is converted.
//!
//! Nothing here opens a file: documents and schemas are given by the caller.

mod apply;
pub mod check;
mod compatible;
mod convert;
mod document;
mod edges;
pub mod graph;
mod ladder;
mod loops;
mod read;
mod schema;
#[cfg(test)]
mod shipped;
mod terms;

pub use super::name::{Identity, PartyName, Version};
pub use apply::CompiledContract;
pub use compatible::breaking;
pub use convert::convert_up;
pub use document::{
    Confidence, Contract, Deadlines, Destination, FallbackReason, Lease, Park, Provenance, Returns,
    Rework, Rung, Scope, Verifier,
};
pub use graph::Graph;
pub(crate) use read::triggers;
pub(crate) use schema::CompiledSchema;
pub use schema::{SchemaSource, Schemas};

pub use super::risk::Risk;
