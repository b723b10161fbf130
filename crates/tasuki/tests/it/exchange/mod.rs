//! Commands that use an exchange, on this machine and through a server.

mod admin;
mod backup;
mod decision_history;
mod decisions;
mod gates;
mod headless;
mod holder;
mod local_remote_parity;
mod log;
mod mcp;
mod offer;
mod passwords;
mod queries;
mod request_approval;
mod resume;
mod returns;
mod story;
mod subscriptions;
mod tokens;
