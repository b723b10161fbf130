//! `tasuki connect`: wires a coding agent to the exchange, and takes the wires out again.
//!
//! | file | content |
//! |---|---|
//! | `run` | the command |
//! | `plan` | the files of each host, and what goes into them |
//! | `change` | one change of a file: added, removed, found; `json`, `table` and `section` by form |
//! | `detect` | the hosts that are installed |
//! | `record`, `undo` | what was written, and how it is taken back |
//! | `check` | tries what is wired |
//! | `difference` | a change as people see it |

mod change;
mod check;
mod detect;
mod difference;
mod json;
mod plan;
mod record;
mod run;
mod section;
mod table;
mod undo;

pub(crate) use run::{Arguments, run};
