//! Commands for packet files, which need no exchange.

pub(crate) mod convert;
pub(crate) mod count_tokens;
pub(crate) mod diff;
pub(crate) mod draft;
pub(crate) mod drift;
mod held_task;
pub(crate) mod lint;
pub(crate) mod patch;
mod project_rules;
pub(crate) mod render;
mod report;
pub(crate) mod schema;
pub(crate) mod validate;
pub(crate) mod validate_return;
