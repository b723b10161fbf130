//! The field table: the single definition of the fields of a packet and their values.
//!
//! - The YAML reader takes the types of unquoted scalars from it.
//! - The validator walks it.
//! - The JSON Schemas and the tables of the specification are generated from it.
//!
//! [`variant`](super::variant) defines which fields are required.
//!
//! ```
//! use tasuki_packet::schema::field::{FIELDS, index_of};
//!
//! let goal = &FIELDS[index_of("goal").unwrap()];
//! assert_eq!(goal.shape.describe(), "text");
//! ```

mod format;
mod shape;
mod table;
mod task_id;

pub use format::Format;
pub(crate) use format::{is_other_major, is_space};
pub(crate) use shape::Type;
pub use shape::{Member, Object, Shape, Text};
pub use table::{CONTRACT, FIELDS, Field, FieldSet, PACKET, index_of};
pub(crate) use table::{FREE_FIELDS, PIN, shapes};
pub use task_id::derive as derive_task_id;
