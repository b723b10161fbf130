//! `tasuki request-approval`: asks a person to approve an exact action, and waits for the decision.
//!
//! `run` is the command, `request` asks and withdraws, `outcome` reads the decision, and `report`
//! prints it. `for_host` is the same for a hook.

mod for_host;
mod outcome;
mod report;
mod request;
mod run;

pub(crate) use for_host::{Permission, permission};
pub(crate) use run::{Arguments, run};
