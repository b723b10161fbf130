//! The field table: the one place that says which fields a packet has and what each may hold.
//!
//! The readers take the type of a YAML scalar from it, the validator walks it, the JSON Schemas and
//! the tables of the specification are printed from it. Which variant requires which field is in
//! `variant`.

mod format;
mod shape;
mod table;

pub use format::Format;
pub(crate) use format::{is_other_major, is_space};
pub(crate) use shape::Type;
pub use shape::{Member, Object, Shape, Text};
pub(crate) use table::shapes;
pub use table::{CONTRACT, FIELDS, Field, FieldSet, PACKET, index_of};
