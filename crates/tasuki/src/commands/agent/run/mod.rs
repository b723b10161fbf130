//! `tasuki run`: runs any agent command with a claimed task, and leaves the continuation at its end.
//!
//! `command` is the command line, `child` the process and its signals, `keeper` the claim that is
//! kept while it lives.

mod child;
mod command;
mod keeper;

pub(crate) use command::{Arguments, run};
