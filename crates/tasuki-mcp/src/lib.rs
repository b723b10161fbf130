//! The tools, resources and prompts that agents reach over MCP.
//!
//! Each tool is one file under `tools/`, and turns a call into requests of the HTTP interface. The
//! process that serves MCP passes in an [`Exchange`], which answers such requests: the client of a
//! server, the server itself, or a local store. Tools therefore have the permissions, limits and
//! refusals of the HTTP interface, and exist once for every transport.
//!
//! Modules from the bottom up: `exchange`, `session` (a caller, and the claims that its process
//! renews), `card` (the page of a handoff), `output`, `tool`, `tools`, `resources`,
//! `subscriptions`, `prompts`, `extension` (the tools as methods), `handler`, and the transports `stdio` and `http_service`. The types of
//! `rmcp` stay inside this crate.

mod card;
#[cfg(feature = "conformance-fixtures")]
pub mod conformance;
mod exchange;
mod extension;
mod handler;
mod http_service;
mod output;
mod prompts;
mod resources;
mod session;
mod stdio;
mod subscriptions;
mod tool;
mod tools;

pub use exchange::{ApiRequest, Exchange, Looked, Method, Refusal, Saved, Sent, Stopped};
pub use http_service::HttpService;
pub use stdio::{StdioError, serve_stdio};
