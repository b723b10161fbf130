//! `tasuki park`: give the work back until an instant.

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::command::Command;
use tasuki_engine::steps::Park;
use tasuki_packet::duration::Duration;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::printer::Printer;

/// Give the work back until a quota resets or a window opens.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("when").required(true)),
    after_help = "Examples:\n  tasuki park --for 2h -m \"The quota resets\"\n  tasuki park build-42 --until 2026-11-16T22:00:00Z -m \"The window opens at ten\"\n\nNo attempt is used up. The contract says whether it waits for you or goes to another."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; not needed where this session holds one.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The instant, as RFC 3339.
    #[arg(long, value_name = "TIME", group = "when")]
    until: Option<Timestamp>,
    /// How long from now.
    #[arg(long = "for", value_name = "DURATION", group = "when")]
    length: Option<Duration>,
    /// Why.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "TOKEN")]
    fence: Option<u64>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(arguments.handoff.as_deref(), arguments.fence)?;
    let not_before = not_before(arguments, exchange.now())?;
    let request = Park { claim: shown, not_before, reason: arguments.message.clone() };
    let answer = exchange.run(Command::Park(request), None)?;
    exchange.remove_claim(shown.handoff)?;
    command_result::print("Parked", &answer, printer);
    if let Some(until) = answer.handoff.as_ref().and_then(|handoff| handoff.not_before) {
        let times = exchange.time_formatter();
        printer.remark(&format!("It can be claimed {}.", times.relative(until)));
    }
    Ok(Exit::Success)
}

fn not_before(arguments: &Arguments, now: Timestamp) -> Result<Timestamp, Failure> {
    if let Some(until) = arguments.until {
        return Ok(until);
    }
    let milliseconds = arguments.length.map_or(0, Duration::milliseconds);
    let length = SignedDuration::from_millis(i64::try_from(milliseconds).unwrap_or(i64::MAX));
    now.checked_add(length)
        .map_err(|error| Failure::usage(format!("cannot tell that instant: {error}")))
}
