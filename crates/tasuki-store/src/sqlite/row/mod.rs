//! Rows to what the engine knows, and back.

mod decode;
mod handoff_columns;
mod reader;

pub(crate) use decode::*;
pub(crate) use handoff_columns::{Derived, due_microseconds};
pub(crate) use reader::{LEAVES_MAX, corrupt};
