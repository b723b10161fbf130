//! One file per command.

mod against;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod contract;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod drift;
pub(crate) mod help;
pub(crate) mod init;
pub(crate) mod lint;
pub(crate) mod man;
pub(crate) mod patch;
pub(crate) mod render;
pub(crate) mod schema;
pub(crate) mod tokens;
pub(crate) mod validate;

mod run;

pub(crate) use run::run;
