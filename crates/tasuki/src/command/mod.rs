//! One file per command.

mod against;
pub(crate) mod checkpoint;
pub(crate) mod claim;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod contract;
pub(crate) mod convert;
pub(crate) mod dead;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod drift;
pub(crate) mod events;
pub(crate) mod gate;
pub(crate) mod halt;
pub(crate) mod help;
pub(crate) mod inbox;
pub(crate) mod init;
pub(crate) mod lint;
pub(crate) mod log;
pub(crate) mod ls;
pub(crate) mod man;
pub(crate) mod party;
mod password;
pub(crate) mod patch;
pub(crate) mod project;
mod published;
pub(crate) mod render;
pub(crate) mod renew;
pub(crate) mod return_packet;
pub(crate) mod rules;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod show;
mod step;
pub(crate) mod submit;
pub(crate) mod timeline;
pub(crate) mod tokens;
mod trail;
pub(crate) mod validate;
pub(crate) mod verify;
pub(crate) mod wait;

mod run;

pub(crate) use run::run;
