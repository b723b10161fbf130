//! User input: files, prompts and values of flags.

pub(crate) mod action;
pub(crate) mod confirm;
pub(crate) mod contract_file;
pub(crate) mod document_kind;
pub(crate) mod file;
pub(crate) mod handoff_ref;
mod ignore_file;
pub(crate) mod interrupt;
pub(crate) mod line;
pub(crate) mod packet_file;
pub(crate) mod password;
pub(crate) mod policy_file;
pub(crate) mod value_parsers;
