//! One file per command.

mod against;
pub(crate) mod checkpoint;
pub(crate) mod claim;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod contract;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod drift;
pub(crate) mod help;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod lint;
pub(crate) mod man;
pub(crate) mod party;
mod password;
pub(crate) mod patch;
pub(crate) mod render;
pub(crate) mod renew;
pub(crate) mod return_packet;
pub(crate) mod schema;
pub(crate) mod show;
mod step;
pub(crate) mod submit;
pub(crate) mod tokens;
pub(crate) mod validate;
pub(crate) mod verify;

mod run;

pub(crate) use run::run;
