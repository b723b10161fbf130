//! `tasuki hook`: answers a hook of an agent's host.
//!
//! | file | content |
//! |---|---|
//! | `run` | the command: time limit, and what happens if it fails |
//! | `input`, `output` | the shapes of the hosts |
//! | `start`, `checkpoint`, `end`, `permission` | the behaviour, one file per kind of event |
//! | `quota`, `transcript` | what hosts say in words |
//! | `session` | the exchange, session and work tree of one call |
//! | `failures` | the record of failed hooks that `tasuki doctor` shows |

mod checkpoint;
mod end;
mod failures;
mod input;
mod output;
mod permission;
mod quota;
mod run;
mod session;
mod start;
mod transcript;

pub(crate) use failures::Failures;
pub(crate) use run::{Arguments, run};
