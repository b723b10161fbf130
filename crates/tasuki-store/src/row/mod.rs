//! Decodes rows into the types of the engine, and derives the indexed columns of handoffs.

mod columns;
mod decode;
mod handoff_columns;
mod row_reader;

pub(crate) use columns::{Columns, Value};
pub(crate) use decode::*;
pub(crate) use handoff_columns::{HandoffColumns, due_microseconds};
pub(crate) use row_reader::{LEAVES_MAX, corrupt};

/// Converts a count to an integer of a column. No count here comes near 2^63.
pub(crate) fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
