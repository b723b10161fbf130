//! The HTTP interface: the table of operations, their handlers, and the OpenAPI document.

mod links;
pub mod openapi;
pub mod operations;
pub(crate) mod v1;
