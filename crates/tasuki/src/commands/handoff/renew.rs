//! `tasuki renew`: extends a lease.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Renew;
use tasuki_packet::duration::Duration;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::handoff::name;
use crate::output::printer::{GOOD, Printer};

/// Extend the lease of a claim.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki renew --lease 2h\n\nRenewing does not count as progress; only a checkpoint meets a progress deadline."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; by default the one that this session holds.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// A new duration of the lease, from now on.
    #[arg(long, value_name = "DURATION")]
    lease: Option<Duration>,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "NUMBER")]
    fence: Option<u64>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    let shown = exchange.current_claim(arguments.handoff.as_deref(), arguments.fence)?;
    let request = Renew { claim: shown, lease: arguments.lease };
    let answer = exchange.run(Command::Renew(request), None)?;
    if printer.is_json() {
        printer.json(&answer);
    } else if let Some(claim) = &answer.claim {
        let times = exchange.time_formatter();
        let of =
            answer.handoff.as_ref().map_or_else(String::new, |one| format!(" of {}", name(one)));
        let until = times.deadline(claim.until);
        printer.data(&format!("{GOOD}✓{GOOD:#} Renewed the lease{of} until {until}.\n"));
    }
    Ok(Exit::Success)
}
