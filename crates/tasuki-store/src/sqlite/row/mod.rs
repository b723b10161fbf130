//! Decodes rows into the types of the engine, and derives the indexed columns of handoffs.

mod decode;
mod handoff_columns;
mod row_reader;

pub(crate) use decode::*;
pub(crate) use handoff_columns::{HandoffColumns, due_microseconds};
pub(crate) use row_reader::{LEAVES_MAX, corrupt};
