//! The packet format: fields, kinds, variants, and the JSON Schemas generated from them.

pub mod field;
mod json_schema;
mod kind;
pub mod model_form;
pub mod variant;

pub use json_schema::{NAMES_BASE, of};
pub use kind::Kind;
