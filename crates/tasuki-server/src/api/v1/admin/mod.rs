//! Operations for operators: dead letters, findings, halt and the log.

pub(crate) mod dead_letters;
pub(crate) mod doctor;
pub(crate) mod halt;
pub(crate) mod log;
