//! The format itself: fields, kinds and variants of packets, and the JSON Schemas printed from them.

pub mod field;
mod json_schema;
mod kind;
pub mod variant;

pub use json_schema::{NAMES_BASE, of};
pub use kind::Kind;
