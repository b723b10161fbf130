//! The HTTP interface: the table of operations, their handlers, and the OpenAPI document.

pub mod openapi;
pub mod operations;
pub(crate) mod v1;
