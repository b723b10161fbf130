//! `tasuki claim`: take work under a lease.

use serde::Serialize;
use serde_json::json;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::rules::grants::worded;
use tasuki_engine::steps::Claim;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::HandoffId;

use crate::backend::{self, Backend, parse_id};
use crate::config::Flags;
use crate::drift::{self, Drift, What};
use crate::exit::{Exit, Failure};
use crate::output::handoff::headline;
use crate::output::printer::{GOOD, NOTE, Printer};
use crate::output::{self, command_result};

/// Take work under a lease: the named handoff, or the next one for me.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki claim --as hermes-worker-3\n  tasuki claim 1a2b3c --lease 2h --goal-in-my-words \"Finish the part\" --first-step \"Read the tests\"\n\nThe fence is kept for this session. What has changed here since the packet and its checkpoints were written is compared, shown and recorded as your word; `--no-drift` leaves that out. Checks that the packet declares are shown, and run only with `--run-checks`: look at those commands first, they are another party's. With `--key` and no ID nothing is compared."
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
    /// Run the commands of the packet's acceptance criteria before, with your rights.
    #[arg(long, conflicts_with = "no_drift")]
    run_checks: bool,
    /// How long each of them may run.
    #[arg(long, value_name = "DURATION", default_value = "10m", requires = "run_checks")]
    timeout: Duration,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let named =
        arguments.handoff.as_deref().map(|written| exchange.resolve_id(written)).transpose()?;
    let (answer, drift) = match named {
        Some(handoff) => claim(&*exchange, arguments, handoff, printer)?,
        None => claim_next(&*exchange, arguments, printer)?,
    };
    store(&*exchange, &answer)?;
    print(&*exchange, &answer, drift.as_ref(), printer);
    Ok(Exit::Success)
}

type Claimed = (api::CommandResponse, Option<Drift>);

/// LIMIT: offers that are compared before the exchange is left to choose.
const TRIES_MAX: usize = 3;

/// Claims the next handoff. It is looked up first, so that its drift can be checked; if another caller is
/// faster, the one after it is taken.
fn claim_next(
    exchange: &dyn Backend,
    arguments: &Arguments,
    printer: &Printer,
) -> Result<Claimed, Failure> {
    // With a key it may be the same claim again, which only the exchange can tell.
    let is_compared = !arguments.no_drift && arguments.key.is_none();
    let offers = if is_compared { offers(exchange)? } else { Vec::new() };
    for offer in offers.iter().take(TRIES_MAX) {
        match claim(exchange, arguments, parse_id(offer)?, printer) {
            Err(failure) if is_refusal(&failure) => {}
            ended => return ended,
        }
    }
    Ok((exchange.run(Command::Claim(request(arguments, None, None)), None)?, None))
}

/// What can be claimed and is most urgent, in the order in which the exchange gives it out.
fn offers(exchange: &dyn Backend) -> Result<Vec<api::Handoff>, Failure> {
    let context = exchange.next_steps_context();
    let mut offers = exchange.inbox(PAGE_MAX, None)?.handoffs;
    offers.retain(|one| context.can_claim(one));
    Ok(offers)
}

/// Whether the exchange has decided, so that another one can be claimed.
fn is_refusal(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::Conflict | Exit::NotFound | Exit::Denied | Exit::Refused)
}

fn claim(
    exchange: &dyn Backend,
    arguments: &Arguments,
    handoff: HandoffId,
    printer: &Printer,
) -> Result<Claimed, Failure> {
    // What the caller may not read is not compared; the exchange says why it is not claimed.
    let drift = if arguments.no_drift {
        None
    } else {
        drift_of(exchange, arguments, handoff, printer).ok()
    };
    let request = request(arguments, Some(handoff), drift.as_ref());
    Ok((exchange.run(Command::Claim(request), None)?, drift))
}

fn request(arguments: &Arguments, handoff: Option<HandoffId>, drift: Option<&Drift>) -> Claim {
    Claim {
        handoff,
        lease: arguments.lease,
        is_renewed: false,
        key: arguments.key.clone(),
        reads: arguments.reads.clone(),
        read_back: read_back(arguments),
        drift: drift.filter(|drift| !drift.findings.is_empty()).map(Drift::to_value),
    }
}

/// What is not here as the next holder is told: the packet with all that was added since.
fn drift_of(
    exchange: &dyn Backend,
    arguments: &Arguments,
    handoff: HandoffId,
    printer: &Printer,
) -> Result<Drift, Failure> {
    let packet = exchange.continuation_packet(handoff)?;
    let path = std::env::var_os("PATH");
    let options = if arguments.run_checks {
        output::drift::announce_checks(&packet, arguments.timeout, printer);
        drift::Options::running(path, arguments.timeout)
    } else {
        drift::Options::looking_only(path)
    };
    Ok(drift::check(&packet, std::path::Path::new("."), &options))
}

fn read_back(arguments: &Arguments) -> Option<serde_json::Value> {
    let (goal, step) = (&arguments.goal_in_my_words, &arguments.first_step);
    (goal.is_some() || step.is_some()).then(|| json!({ "goal": goal, "first_step": step }))
}

/// Stores the claim in this session.
pub(crate) fn store(exchange: &dyn Backend, answer: &api::CommandResponse) -> Result<(), Failure> {
    match (&answer.claim, &answer.handoff) {
        (Some(claim), Some(handoff)) => exchange.store_claim(claim, &handoff.task),
        _ => Ok(()),
    }
}

/// The answer of the exchange, and the drift that was found here.
#[derive(Serialize)]
struct ClaimOutput<'t> {
    #[serde(flatten)]
    answer: &'t api::CommandResponse,
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<serde_json::Value>,
}

/// Returns whether something differs, or there are checks that the claimer should know of.
fn is_worth_printing(drift: &Drift) -> bool {
    drift.has_drift() || drift.findings.iter().any(|finding| finding.what == What::Check)
}

fn print(
    exchange: &dyn Backend,
    answer: &api::CommandResponse,
    drift: Option<&Drift>,
    printer: &Printer,
) {
    if printer.is_json() {
        printer.json(&ClaimOutput {
            answer,
            drift: drift.filter(|drift| is_worth_printing(drift)).map(Drift::to_value),
        });
        return;
    }
    print_claim(exchange, "Claimed", answer, printer);
    if let Some(drift) = drift.filter(|drift| is_worth_printing(drift)) {
        let what = if drift.has_drift() {
            "This directory is not as the packet says"
        } else {
            "The packet declares checks"
        };
        printer.remark(&format!("{NOTE}!{NOTE:#} {what}:"));
        printer.remark(output::drift::table(drift, false).trim_end());
    }
    if let Some(handoff) = &answer.handoff {
        // A token that only receives is refused the brief.
        let next = match exchange.can_read() {
            Ok(false) => "tasuki checkpoint".to_owned(),
            _ => format!("tasuki resume {} for the brief, then tasuki checkpoint", handoff.task),
        };
        printer.remark(&format!("Next: {next}"));
    }
}

/// Prints the claim, the end of its lease and its authority.
pub(crate) fn print_claim(
    exchange: &dyn Backend,
    word: &str,
    answer: &api::CommandResponse,
    printer: &Printer,
) {
    printer.data(&line(exchange, word, answer));
    if let Some(authority) = answer.claim.as_ref().and_then(|claim| claim.authority.as_ref()) {
        printer.remark(&format!("You may: {}", worded(authority).join(", ")));
    }
    command_result::notes(answer, printer);
}

/// A claim on one line.
pub(crate) fn line(exchange: &dyn Backend, word: &str, answer: &api::CommandResponse) -> String {
    let (Some(handoff), Some(claim)) = (&answer.handoff, &answer.claim) else {
        return String::new();
    };
    let times = exchange.time_formatter();
    format!(
        "{GOOD}✓{GOOD:#} {word} {}  fence {}, lease ends {}\n",
        headline(handoff),
        claim.fence,
        times.relative(claim.until)
    )
}
