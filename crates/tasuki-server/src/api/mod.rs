//! The HTTP interface: the table of operations, their handlers, their schemas and the OpenAPI document.

pub mod openapi;
pub mod operations;
pub(crate) mod v1;
