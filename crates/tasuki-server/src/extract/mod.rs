//! Extractors: the inputs of handlers.

pub(crate) mod arrival;
pub(crate) mod body;
pub(crate) mod field_errors;
pub(crate) mod idempotency;
pub(crate) mod if_match;
pub(crate) mod parameters;
pub(crate) mod prefer;
pub(crate) mod request_context;
