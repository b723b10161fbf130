//! `tasuki inbox ack`: acknowledges failures.
//!
//! Only a failure that the inbox lists is acknowledged, by its number, so that none is acknowledged
//! unseen.

use tasuki_api as api;
use tasuki_engine::limits::PAGE_MAX;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::{GOOD, Printer, counted};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The handoffs, by task or id.
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    handoffs: Vec<String>,
    /// Acknowledge every failure in your inbox.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(super) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_own(&arguments.flags, printer)?;
    let failures = exchange.inbox(PAGE_MAX, None)?.failures;
    let seen = if arguments.all {
        failures.iter().map(reference).collect()
    } else {
        let of = |name: &String| named(&*exchange, &failures, name);
        arguments.handoffs.iter().map(of).collect::<Result<_, _>>()?
    };
    let acknowledged = exchange.acknowledge(seen)?;
    if printer.is_json() {
        printer.json(&acknowledged);
        return Ok(Exit::Success);
    }
    let count = usize::try_from(acknowledged.acknowledged).unwrap_or(usize::MAX);
    printer.data(&format!("{GOOD}✓{GOOD:#} Acknowledged {}.\n", counted(count, "failure")));
    Ok(Exit::Success)
}

/// Returns the failure of a handoff, by task or id.
fn named(
    exchange: &dyn Backend,
    failures: &[api::InboxFailure],
    name: &str,
) -> Result<api::FailureReference, Failure> {
    let by_task = failures.iter().find(|one| one.handoff.task == name);
    if let Some(found) = by_task {
        return Ok(reference(found));
    }
    let handoff = exchange.resolve(name)?;
    let found = failures.iter().find(|one| one.handoff.id == handoff.id);
    found.map(reference).ok_or_else(|| {
        let message = format!("your inbox has no failure of `{}`", excerpt(name));
        Failure::usage(message).hint("`tasuki inbox` lists what you have not acknowledged")
    })
}

fn reference(one: &api::InboxFailure) -> api::FailureReference {
    api::FailureReference { handoff: one.handoff.id.clone(), n: one.n }
}
