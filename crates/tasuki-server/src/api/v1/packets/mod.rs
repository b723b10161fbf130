//! Packets outside of handoffs: schemas, validation and batches.

pub(crate) mod batch;
pub(crate) mod openapi;
pub(crate) mod schema;
pub(crate) mod validate;
