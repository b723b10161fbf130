//! Prints the progress and the outcome of a request for approval.
//!
//! Only an edited action goes to stdout, so that a script can run it. Everything else is a remark.

use serde::Serialize;
use tasuki_api as api;

use super::outcome::Outcome;
use super::request::Asked;
use crate::backend::Backend;
use crate::exit::Exit;
use crate::input::action;
use crate::output::escape::excerpt;
use crate::output::event::describe;
use crate::output::handoff::reference;
use crate::output::printer::{BAD, GOOD, NOTE, Printer};

/// A request and its outcome.
pub(super) struct Report<'t> {
    pub(super) asked: &'t Asked,
    pub(super) outcome: &'t Outcome,
    /// `true` if an undecided request stays open.
    pub(super) is_left: bool,
}

/// The outcome as one JSON object.
#[derive(Serialize)]
struct Output<'t> {
    outcome: &'static str,
    handoff: &'t api::Handoff,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<&'t api::Approval>,
}

/// Says who is asked.
pub(super) fn waiting(exchange: &dyn Backend, asked: &Asked, printer: &Printer) {
    if asked.is_found {
        printer.remark("This action was already requested.");
    }
    let people = people(&asked.handoff, &exchange.parties().unwrap_or_default());
    let who = people.map(|people| format!(" ({people})")).unwrap_or_default();
    if let Ok(Some(note)) = exchange.unprotected() {
        printer.remark(note);
    }
    printer.remark(&format!("Waiting for a person{who} …"));
}

/// Says that a request may still be open after an error.
pub(super) fn lost(asked: &Asked, printer: &Printer) {
    let reference = reference(&asked.handoff);
    printer.remark(&format!("The request may still be open: tasuki show {reference}"));
}

/// Returns the people who are asked: `role:release: ana, ben`.
fn people(handoff: &api::Handoff, parties: &[api::Party]) -> Option<String> {
    let find = |name: &String| parties.iter().find(|party| party.name == *name);
    let is_person = |name: &String| find(name).is_some_and(|party| party.kind == "human");
    let named = |decider: &String| match find(decider) {
        Some(role) if role.kind == "role" => {
            let people: Vec<&str> =
                role.members.iter().filter(|name| is_person(name)).map(String::as_str).collect();
            format!("{decider}: {}", people.join(", "))
        }
        _ => decider.clone(),
    };
    if handoff.deciders.is_empty() {
        let is_asked = |party: &&api::Party| {
            party.kind == "human" && handoff.holder.as_ref() != Some(&party.name)
        };
        let people: Vec<&str> =
            parties.iter().filter(is_asked).map(|party| party.name.as_str()).collect();
        return (!people.is_empty()).then(|| people.join(", "));
    }
    Some(handoff.deciders.iter().map(named).collect::<Vec<_>>().join("; "))
}

/// Prints the outcome and returns its exit code.
pub(super) fn print(exchange: &dyn Backend, report: &Report<'_>, printer: &Printer) -> Exit {
    let Report { asked, outcome, .. } = *report;
    let exit = outcome.exit();
    if printer.is_json() {
        let now = exchange.resolve(&asked.handoff.id);
        let handoff = now.as_ref().unwrap_or(&asked.handoff);
        let approval = match outcome {
            Outcome::Decided(approval) => Some(&**approval),
            Outcome::Ended(..) | Outcome::TimedOut | Outcome::Interrupted => None,
        };
        printer.json(&Output { outcome: outcome.word(), handoff, approval });
        return exit;
    }
    let mark = if matches!(exit, Exit::Success | Exit::Edited) {
        format!("{GOOD}✓{GOOD:#}")
    } else if matches!(outcome, Outcome::TimedOut | Outcome::Interrupted) {
        format!("{NOTE}!{NOTE:#}")
    } else {
        format!("{BAD}✗{BAD:#}")
    };
    printer.remark(&format!("{mark} {}", sentence(exchange, report)));
    if let Outcome::Decided(approval) = outcome
        && exit == Exit::Edited
    {
        print_action(approval, printer);
    }
    exit
}

/// Prints the action that the caller may run.
fn print_action(approval: &api::Approval, printer: &Printer) {
    let Some(action) = &approval.action else { return };
    let text = action::text(action);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    printer.data(&format!("{text}{end}"));
}

fn sentence(exchange: &dyn Backend, report: &Report<'_>) -> String {
    let left = || {
        if report.is_left {
            let reference = reference(&report.asked.handoff);
            format!("the request stays open\nNext: tasuki wait {reference} --until decided")
        } else {
            "the request was withdrawn".to_owned()
        }
    };
    match report.outcome {
        Outcome::Decided(approval) => decision(exchange, approval),
        Outcome::Ended(_, event) => {
            let names = exchange.event_context(std::slice::from_ref(event)).unwrap_or_default();
            let what = describe(event, &names, exchange.time_formatter());
            format!("Not approved: {what}")
        }
        Outcome::TimedOut => format!("No one decided in time; {}", left()),
        Outcome::Interrupted => format!("Interrupted; {}", left()),
    }
}

/// Says who decided: `ana approved it at 14:22.`
fn decision(exchange: &dyn Backend, approval: &api::Approval) -> String {
    let at = exchange.time_formatter().clock(approval.at);
    let by = &approval.by;
    let what = match approval.result {
        api::ApprovalResult::Approved => format!("{by} approved it at {at}"),
        api::ApprovalResult::Edited => {
            format!("{by} changed it and approved the changed action at {at}")
        }
        api::ApprovalResult::Rejected => format!("{by} rejected it at {at}"),
    };
    match &approval.reason {
        Some(reason) => format!("{what}: \"{}\"", excerpt(reason)),
        None => format!("{what}."),
    }
}
