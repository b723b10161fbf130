//! Middleware for every request before authentication, and for every response.

pub(crate) mod client_address;
pub(crate) mod header_size;
pub(crate) mod host;
pub(crate) mod request_log;
pub(crate) mod security_headers;
pub(crate) mod single_headers;
