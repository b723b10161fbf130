//! Formats and writes everything that the tool prints.

pub(crate) mod change;
pub(crate) mod command_result;
pub(crate) mod decision;
pub(crate) mod diagnostics;
pub(crate) mod drift;
pub(crate) mod escape;
pub(crate) mod event;
pub(crate) mod fields;
pub(crate) mod file;
pub(crate) mod flags;
pub(crate) mod handoff;
pub(crate) mod left_out;
pub(crate) mod next_steps;
pub(crate) mod printer;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod time;
pub(crate) mod width;
