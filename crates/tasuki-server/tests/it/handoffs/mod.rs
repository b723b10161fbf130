//! Handoffs over HTTP, from submission to export.

mod details;
mod exports;
mod gate_redaction;
mod idempotency;
mod lifecycle;
mod returns;
