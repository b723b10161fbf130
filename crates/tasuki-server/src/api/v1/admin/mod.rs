//! Operations for operators: dead letters, halt and the log.

pub(crate) mod dead_letters;
pub(crate) mod halt;
pub(crate) mod log;
