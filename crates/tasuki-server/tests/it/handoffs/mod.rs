//! Handoffs over HTTP, from submission to export.

mod exports;
mod gate_redaction;
mod idempotency;
pub(crate) mod lifecycle;
mod returns;
