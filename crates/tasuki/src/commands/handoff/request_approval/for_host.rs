//! An approval for the host of an agent: asks, waits, and returns the decision as a value.

use std::time::{Duration, Instant};

use serde_json::Value;
use tasuki_api::ApprovalResult;

use super::outcome::Outcome;
use super::request::{Wanted, ask};
use super::run::{unfinished, wait};
use crate::backend::Backend;
use crate::commands::query::waiter::Waiter;
use crate::exit::Failure;
use crate::input::action;
use crate::input::interrupt::Interrupt;
use crate::output::escape::excerpt;
use crate::output::printer::Printer;

/// The decision about an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Permission {
    /// A person approved exactly this action.
    Allowed,
    /// A person rejected it, or approved another one, with this message.
    Denied(String),
    /// No one decided; the request was withdrawn.
    Undecided,
}

/// Asks a person to approve an action. What is not decided in time, or when a signal arrives, is
/// withdrawn.
pub(crate) fn permission(
    exchange: &dyn Backend,
    wanted: Value,
    timeout: Duration,
) -> Result<Permission, Failure> {
    // First, so that a signal cannot leave a request behind.
    let interrupt = Interrupt::listen()?;
    let printer = Printer::silent();
    let wanted = Wanted { action: wanted, task: None, to: None, fence: None };
    let asked = ask(exchange, &wanted, &printer)?;
    let waiter = Waiter {
        exchange,
        began: Instant::now(),
        timeout: Some(timeout),
        interrupt: Some(&interrupt),
    };
    let outcome = match wait(&waiter, &asked, &printer)? {
        Some(outcome) => outcome,
        None => unfinished(&waiter, &asked, false)?,
    };
    Ok(match outcome {
        Outcome::Decided(approval) => {
            let by = &approval.by;
            let reason = approval.reason.as_deref().map(excerpt).unwrap_or_default();
            match approval.result {
                ApprovalResult::Approved => Permission::Allowed,
                ApprovalResult::Rejected => {
                    Permission::Denied(format!("{by} rejected this action. {reason}"))
                }
                ApprovalResult::Edited => {
                    let changed = approval.action.as_ref().map(action::text).unwrap_or_default();
                    Permission::Denied(format!(
                        "{by} approved another action instead: {}",
                        excerpt(&changed)
                    ))
                }
            }
        }
        Outcome::Ended(..) | Outcome::TimedOut | Outcome::Interrupted => Permission::Undecided,
    })
}
