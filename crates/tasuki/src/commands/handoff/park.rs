//! `tasuki park`: gives claimed work back until a given time.

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::command::Command;
use tasuki_engine::steps::Park;
use tasuki_packet::duration::Duration;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::handoff::{name, next_sentence};
use crate::output::printer::Printer;

/// Give claimed work back until a given time.
#[derive(Debug, clap::Args)]
#[command(
    group(clap::ArgGroup::new("when").required(true)),
    after_help = "Examples:\n  tasuki park --for 2h -m \"The quota resets\"\n  tasuki park build-42 --until 2026-11-16T22:00:00Z -m \"The window opens at ten\"\n\nUse it while a quota is exhausted or a window is closed. It uses up no attempt. The contract decides whether the work waits for you or goes to another receiver."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; by default the one that this session holds.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// The time from which the work can be claimed, as RFC 3339.
    #[arg(long, value_name = "TIME", group = "when")]
    until: Option<Timestamp>,
    /// A duration from now, instead of a time.
    #[arg(long = "for", value_name = "DURATION", group = "when")]
    length: Option<Duration>,
    /// The reason.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "NUMBER")]
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
    let times = exchange.time_formatter();
    command_result::print(&answer, printer, |handoff| {
        let until = handoff
            .not_before
            .map_or_else(String::new, |until| format!(" until {}", times.deadline(until)));
        format!("Parked {}{until}. {}", name(handoff), next_sentence(handoff))
    });
    Ok(Exit::Success)
}

fn not_before(arguments: &Arguments, now: Timestamp) -> Result<Timestamp, Failure> {
    if let Some(until) = arguments.until {
        return Ok(until);
    }
    let milliseconds = arguments.length.map_or(0, Duration::milliseconds);
    let length = SignedDuration::from_millis(i64::try_from(milliseconds).unwrap_or(i64::MAX));
    now.checked_add(length)
        .map_err(|error| Failure::usage(format!("the duration is too long: {error}")))
}
