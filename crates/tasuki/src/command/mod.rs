//! One file per command.

pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod help;
pub(crate) mod init;
pub(crate) mod man;
pub(crate) mod patch;
pub(crate) mod schema;
pub(crate) mod validate;

mod run;

pub(crate) use run::run;
