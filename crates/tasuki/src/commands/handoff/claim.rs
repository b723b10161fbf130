//! `tasuki claim`: claims work under a lease.

use serde::Serialize;
use serde_json::json;
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::limits::PAGE_MAX;
use tasuki_engine::rules::grants::worded;
use tasuki_engine::steps::Claim;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::HandoffId;

use super::code::not_here;
use crate::backend::{self, Backend, parse_id};
use crate::config::Flags;
use crate::drift::{self, Drift, What};
use crate::exit::{Exit, Failure};
use crate::git::NotHere;
use crate::output::handoff::{name, reference};
use crate::output::printer::{GOOD, NOTE, Printer};
use crate::output::progress::brief::brief;
use crate::output::{self, command_result};

/// Claim work under a lease.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki claim --as hermes-worker-3\n  tasuki claim build-42 --lease 2h --goal-in-my-words \"Finish the part\" --first-step \"Read the tests\"\n\nPrints the brief of the work: the request, what is done and left by number, and what binds you; `--quiet` leaves it out. The fence is stored for this session. This directory is compared with the packet and its checkpoints; the differences are printed and recorded with the claim, unless `--no-drift` is set. Checks that the packet declares run only with `--run-checks`: read these commands first, another party wrote them. With `--key` and no ID nothing is compared."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; by default the most urgent one for you.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The duration of the lease; the contract may limit it.
    #[arg(long, value_name = "DURATION")]
    lease: Option<Duration>,
    /// An idempotency key: claiming again with it returns the same claim.
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// The goal as you understand it, recorded with the claim.
    #[arg(long, value_name = "TEXT")]
    goal_in_my_words: Option<String>,
    /// Your first step, recorded with the claim.
    #[arg(long, value_name = "TEXT")]
    first_step: Option<String>,
    /// A contract version that you support, such as review@1.2; may be repeated.
    #[arg(long, value_name = "CONTRACT")]
    reads: Vec<String>,
    /// Do not compare the packet with this directory.
    #[arg(long)]
    no_drift: bool,
    /// First run the commands of the acceptance criteria, with your permissions.
    #[arg(long, conflicts_with = "no_drift")]
    run_checks: bool,
    /// The timeout of each command.
    #[arg(long, value_name = "DURATION", default_value = "10m", requires = "run_checks")]
    timeout: Duration,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let named =
        arguments.handoff.as_deref().map(|written| exchange.resolve_id(written)).transpose()?;
    let (answer, compared) = match named {
        Some(handoff) => claim(&*exchange, arguments, handoff, printer)?,
        None => claim_next(&*exchange, arguments, printer)?,
    };
    store(&*exchange, &answer)?;
    let not_here = match &answer.handoff {
        Some(handoff) if !arguments.no_drift => not_here::not_here(&*exchange, &handoff.id),
        _ => None,
    };
    print(&*exchange, &answer, (compared.as_ref(), not_here.as_ref()), printer);
    Ok(Exit::Success)
}

type Claimed = (api::CommandResponse, Option<Drift>);

/// LIMIT: offers that are compared before the exchange chooses one.
const TRIES_MAX: usize = 3;

/// Claims the most urgent handoff. It is looked up first, so that its drift can be checked. If another
/// caller claims it meanwhile, the next one is tried.
fn claim_next(
    exchange: &dyn Backend,
    arguments: &Arguments,
    printer: &Printer,
) -> Result<Claimed, Failure> {
    // With a key it may be a repeated claim, which only the exchange knows.
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

/// Returns the handoffs that the caller can claim, most urgent first.
fn offers(exchange: &dyn Backend) -> Result<Vec<api::Handoff>, Failure> {
    let context = exchange.next_steps_context();
    let mut offers = exchange.inbox(PAGE_MAX, None)?.handoffs;
    offers.retain(|one| context.can_claim(one));
    Ok(offers)
}

/// Returns whether the exchange refused the claim, so that the next one can be tried.
fn is_refusal(failure: &Failure) -> bool {
    matches!(failure.exit, Exit::Conflict | Exit::NotFound | Exit::Denied | Exit::Refused)
}

fn claim(
    exchange: &dyn Backend,
    arguments: &Arguments,
    handoff: HandoffId,
    printer: &Printer,
) -> Result<Claimed, Failure> {
    // A packet that the caller may not read is not compared.
    let compared =
        if arguments.no_drift { None } else { compare(exchange, arguments, handoff, printer).ok() };
    let request = request(arguments, Some(handoff), compared.as_ref());
    Ok((exchange.run(Command::Claim(request), None)?, compared))
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

/// Compares this directory with the packet and all that was added to it since.
fn compare(
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

/// The response of the exchange, and the drift of this directory.
#[derive(Serialize)]
struct ClaimOutput<'t> {
    #[serde(flatten)]
    answer: &'t api::CommandResponse,
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<serde_json::Value>,
    #[serde(flatten)]
    not_here: Option<&'t NotHere>,
}

/// Returns whether there is drift, or checks that the holder should know.
fn is_worth_printing(drift: &Drift) -> bool {
    drift.has_drift() || drift.findings.iter().any(|finding| finding.what == What::Check)
}

fn print(
    exchange: &dyn Backend,
    answer: &api::CommandResponse,
    (drift, not_here): (Option<&Drift>, Option<&NotHere>),
    printer: &Printer,
) {
    if printer.is_json() {
        printer.json(&ClaimOutput {
            answer,
            drift: drift.filter(|drift| is_worth_printing(drift)).map(Drift::to_value),
            not_here,
        });
        return;
    }
    let brief = if printer.is_quiet() { String::new() } else { brief_of(exchange, answer) };
    print_claim(exchange, "Claimed", answer, &brief, printer);
    if let Some(drift) = drift.filter(|drift| is_worth_printing(drift)) {
        let what = if drift.has_drift() {
            "This directory differs from the packet"
        } else {
            "The packet declares checks"
        };
        printer.remark(&format!("{NOTE}!{NOTE:#} {what}:"));
        printer.remark(output::drift::table(drift, false).trim_end());
    }
    if let (Some(not_here), Some(handoff)) = (not_here, &answer.handoff) {
        not_here::print_not_here(not_here, &reference(handoff), printer);
    }
    if let Some(handoff) = &answer.handoff {
        // A token without the scope `read` cannot print the brief.
        let resume = match exchange.can_read() {
            Ok(false) => String::new(),
            _ => format!("tasuki resume {} · ", reference(handoff)),
        };
        printer.remark(&format!("Next: {resume}tasuki checkpoint --completed \"…\""));
    }
}

/// Returns the brief of claimed work. A caller that may not read the packet gets its goal at most.
fn brief_of(exchange: &dyn Backend, answer: &api::CommandResponse) -> String {
    let Some(handoff) = &answer.handoff else { return String::new() };
    let packet = parse_id(handoff).and_then(|id| exchange.continuation_packet(id)).ok();
    let progress = exchange.details(&handoff.id, None).ok().and_then(|shown| shown.progress);
    brief(handoff, packet.as_ref(), progress.as_ref(), exchange.time_formatter())
}

/// Prints the claim, the brief of the work, and the authority of the holder.
pub(crate) fn print_claim(
    exchange: &dyn Backend,
    word: &str,
    answer: &api::CommandResponse,
    brief: &str,
    printer: &Printer,
) {
    // One write, so that a reader sees all of the answer or none.
    printer.data(&format!("{}{brief}", line(exchange, word, answer)));
    if let Some(authority) = answer.claim.as_ref().and_then(|claim| claim.authority.as_ref()) {
        printer.remark(&format!("Authority: {}", worded(authority).join(", ")));
    }
    command_result::notes(answer, printer);
}

/// Formats a claim: `✓ Claimed build-42 from planner (fence 1, lease until 14:32).`
pub(crate) fn line(exchange: &dyn Backend, word: &str, answer: &api::CommandResponse) -> String {
    let (Some(handoff), Some(claim)) = (&answer.handoff, &answer.claim) else {
        return String::new();
    };
    let from = if handoff.from == claim.holder || word == "Began" {
        String::new()
    } else {
        format!(" from {}", handoff.from)
    };
    format!(
        "{GOOD}✓{GOOD:#} {word} {}{from} (fence {}, lease until {}).\n",
        name(handoff),
        claim.fence,
        exchange.time_formatter().clock(claim.until)
    )
}
