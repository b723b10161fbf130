//! Commands for setup, the server, backups, moves, configuration and help.

pub(crate) mod backup;
mod bound_server;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
mod first_person;
pub(crate) mod help;
pub(crate) mod init;
mod log_line;
pub(crate) mod man;
pub(crate) mod mcp;
mod packet_template;
pub(crate) mod restore;
pub(crate) mod serve;
mod server_log;
mod sign_in_bootstrap;
pub(crate) mod transfer;
pub(crate) mod trust;
