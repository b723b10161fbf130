//! `tasuki claim`: take work under a lease.

use serde_json::json;
use tasuki_engine::authority::worded;
use tasuki_engine::claim::Request;
use tasuki_engine::command::Command;
use tasuki_packet::api;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::HandoffId;

use super::step;
use crate::door::{self, Door};
use crate::drift;
use crate::exit::{Exit, Failure};
use crate::local::headline;
use crate::printer::{GOOD, NOTE, Printer};
use crate::settings::Flags;

/// Take work under a lease: the named handoff, or the next one for me.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki claim --as hermes-worker-3\n  tasuki claim 1a2b3c --lease 2h --goal-in-my-words \"Finish the part\" --first-step \"Read the tests\"\n\nThe token is kept for this session. What has changed here since the packet was\nwritten is compared and recorded as your word; `--no-drift` leaves that out."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; without it, the most urgent one for me.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// How long the lease shall be; the contract may allow less.
    #[arg(long, value_name = "DURATION")]
    lease: Option<Duration>,
    /// A key of your own: claiming again with it gives the same claim.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The goal as you understand it, recorded with the claim.
    #[arg(long, value_name = "TEXT")]
    goal_in_my_words: Option<String>,
    /// What you will do first, recorded with the claim.
    #[arg(long, value_name = "TEXT")]
    first_step: Option<String>,
    /// A contract version that you read, such as review@1.2; may be given more than once.
    #[arg(long, value_name = "CONTRACT")]
    reads: Vec<String>,
    /// Do not compare the packet with this directory.
    #[arg(long)]
    no_drift: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = door::caller(&arguments.flags, printer)?;
    let named = arguments.handoff.as_deref().map(|written| exchange.id(written)).transpose()?;
    let drift = match named {
        // What the caller may not read is not compared; the exchange says why it is not claimed.
        Some(handoff) if !arguments.no_drift => drift_of(&*exchange, handoff).ok(),
        _ => None,
    };
    let request = Request {
        handoff: named,
        lease: arguments.lease,
        is_renewed: false,
        key: arguments.key.clone(),
        reads: arguments.reads.clone(),
        read_back: read_back(arguments),
        drift: drift
            .as_ref()
            .filter(|drift| !drift.findings.is_empty())
            .map(drift::Drift::to_value),
    };
    let answer = exchange.run(Command::Claim(request), None)?;
    keep(&*exchange, &answer)?;
    print(&*exchange, &answer, drift.as_ref(), printer);
    Ok(Exit::Success)
}

fn drift_of(exchange: &dyn Door, handoff: HandoffId) -> Result<drift::Drift, Failure> {
    let packet = exchange.packet(handoff)?;
    let folder = std::path::Path::new(".");
    Ok(drift::check(&packet, folder, &drift::Options::looking_only(std::env::var_os("PATH"))))
}

fn read_back(arguments: &Arguments) -> Option<serde_json::Value> {
    let (goal, step) = (&arguments.goal_in_my_words, &arguments.first_step);
    (goal.is_some() || step.is_some()).then(|| json!({ "goal": goal, "first_step": step }))
}

/// Keeps the claim's token for this session.
pub(crate) fn keep(exchange: &dyn Door, answer: &api::Answer) -> Result<(), Failure> {
    match (&answer.claim, &answer.handoff) {
        (Some(claim), Some(handoff)) => exchange.keep_claim(claim, &handoff.task),
        _ => Ok(()),
    }
}

fn print(
    exchange: &dyn Door,
    answer: &api::Answer,
    drift: Option<&drift::Drift>,
    printer: &Printer,
) {
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    announce(exchange, "Claimed", answer, printer);
    if drift.is_some_and(drift::Drift::has_drift) {
        printer.remark(&format!(
            "{NOTE}!{NOTE:#} This directory is not as the packet says; `tasuki drift` on the packet shows how."
        ));
    }
    if let Some(handoff) = &answer.handoff {
        // A token that only receives is refused the brief.
        let next = match exchange.may_look() {
            Ok(false) => "tasuki checkpoint".to_owned(),
            _ => format!("tasuki resume {} for the brief, then tasuki checkpoint", handoff.task),
        };
        printer.remark(&format!("Next: {next}"));
    }
}

/// Says what was taken, until when, and what it allows.
pub(crate) fn announce(exchange: &dyn Door, word: &str, answer: &api::Answer, printer: &Printer) {
    printer.data(&line(exchange, word, answer));
    if let Some(authority) = answer.claim.as_ref().and_then(|claim| claim.authority.as_ref()) {
        printer.remark(&format!("You may: {}", worded(authority).join(", ")));
    }
    step::notes(answer, printer);
}

/// A claim on one line.
pub(crate) fn line(exchange: &dyn Door, word: &str, answer: &api::Answer) -> String {
    let (Some(handoff), Some(claim)) = (&answer.handoff, &answer.claim) else {
        return String::new();
    };
    let moment = exchange.moment();
    format!(
        "{GOOD}✓{GOOD:#} {word} {}  token {}, lease ends {}\n",
        headline(handoff),
        claim.token,
        moment.relative(claim.until)
    )
}
