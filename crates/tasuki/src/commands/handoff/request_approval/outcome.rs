//! Reads the outcome of a request from the handoff and its events.
//!
//! An action counts as approved only if an event after the request says so. Everything else that
//! ends the request (a withdrawal, a reroute, a halt) is not an approval.

use tasuki_api as api;

use super::request::Asked;
use crate::backend::Backend;
use crate::exit::{Exit, Failure};

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// A person decided.
    Decided(Box<api::Approval>),
    /// The request ended without a decision about the action.
    Ended(Exit, Box<api::Event>),
    /// The time was up.
    TimedOut,
    /// A signal interrupted the command.
    Interrupted,
}

impl Outcome {
    /// Returns the exit code.
    pub(super) fn exit(&self) -> Exit {
        match self {
            Self::Decided(approval) => match approval.result {
                api::ApprovalResult::Approved => Exit::Success,
                api::ApprovalResult::Edited => Exit::Edited,
                api::ApprovalResult::Rejected => Exit::Rejected,
            },
            Self::Ended(exit, _) => *exit,
            Self::TimedOut => Exit::TimedOut,
            Self::Interrupted => Exit::Interrupted,
        }
    }

    /// Returns the word for it in `--json`.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Decided(approval) => approval.result.as_str(),
            Self::Ended(Exit::Intercepted, _) => "intercepted",
            Self::Ended(Exit::Superseded, _) => "superseded",
            Self::Ended(Exit::Dead, _) => "dead",
            Self::Ended(Exit::MovedOn, _) => "moved_on",
            Self::Ended(..) => "cancelled",
            Self::TimedOut => "timed_out",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Returns the outcome of a request, or none while it is pending.
pub(super) fn outcome(exchange: &dyn Backend, asked: &Asked) -> Result<Option<Outcome>, Failure> {
    let id = asked.claim.handoff;
    let handoff = exchange.resolve(&id.to_string())?;
    if handoff.action.is_some_and(|action| action.id == asked.request) {
        return Ok(None);
    }
    let events = exchange.history(id)?;
    let mut new = events.iter().filter(|event| event.n > asked.n);
    let Some((exit, event)) = new.find_map(|event| Some((end(event)?, event))) else {
        return Ok(None);
    };
    if !is_decision(exit) {
        return Ok(Some(Outcome::Ended(exit, Box::new(event.clone()))));
    }
    let approval = exchange.approval(id)?;
    let decision = event.attributes.get("decision").and_then(|id| id.as_str());
    match approval.filter(|approval| Some(approval.decision.as_str()) == decision) {
        Some(approval) => Ok(Some(Outcome::Decided(Box::new(approval)))),
        None => Err(Failure::usage("malformed response: the decision has no approval")),
    }
}

fn is_decision(exit: Exit) -> bool {
    matches!(exit, Exit::Success | Exit::Edited | Exit::Rejected)
}

/// Returns the exit code of an event that ends a request.
fn end(event: &api::Event) -> Option<Exit> {
    Some(match event.kind.as_str() {
        "handoff.accepted" => Exit::Success,
        "handoff.edited" => Exit::Edited,
        "handoff.rejected" => Exit::Rejected,
        "handoff.intercepted" | "handoff.rerouted" => Exit::Intercepted,
        "handoff.superseded" => Exit::Superseded,
        "handoff.cancelled" | "handoff.withdrawn" => Exit::Cancelled,
        "handoff.died" | "handoff.discarded" => Exit::Dead,
        "handoff.moved_on" | "handoff.released" | "handoff.lapsed" => Exit::MovedOn,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_decision_of_a_person_about_the_action_approves_it() {
        let check = |kind: &str, expected: Option<Exit>| {
            let event = json!({
                "n": 7, "type": format!("handoff.{kind}"), "at": "2026-11-15T10:00:00Z",
                "actor": "pia", "attributes": {},
            });
            assert_eq!(end(&serde_json::from_value(event).unwrap()), expected, "{kind}");
        };
        check("accepted", Some(Exit::Success));
        check("edited", Some(Exit::Edited));
        check("rejected", Some(Exit::Rejected));
        for kind in ["withdrawn", "cancelled"] {
            check(kind, Some(Exit::Cancelled));
        }
        for kind in ["moved_on", "released", "lapsed"] {
            check(kind, Some(Exit::MovedOn));
        }
        for kind in ["asked", "answered", "delivered", "notification_failed"] {
            check(kind, None);
        }
    }
}
