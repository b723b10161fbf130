//! Commands that use an exchange, on this machine and through a server.

mod admin;
mod backup;
mod decision_history;
mod decisions;
mod gates;
mod holder;
mod local_remote_parity;
mod log;
mod mcp;
mod offer;
mod queries;
mod resume;
mod returns;
mod story;
mod subscriptions;
mod tokens;
