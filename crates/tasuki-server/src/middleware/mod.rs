//! Steps that every request passes before it is authenticated, and every response on its way out.

pub(crate) mod client_address;
pub(crate) mod header_size;
pub(crate) mod host;
pub(crate) mod request_log;
pub(crate) mod security_headers;
