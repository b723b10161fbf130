//! `tasuki renew`: make a lease longer. It is no progress.

use tasuki_engine::command::Command;
use tasuki_engine::steps::Renew;
use tasuki_packet::duration::Duration;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::printer::{GOOD, Printer};

/// Make the lease of a claim longer.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki renew --lease 2h\n\nRenewing is no progress: a deadline for progress is met by a checkpoint only."
)]
pub(crate) struct Arguments {
    /// The handoff or its task; not needed where this session holds one.
    #[arg(value_name = "ID")]
    handoff: Option<String>,
    /// Another length from now on.
    #[arg(long, value_name = "DURATION")]
    lease: Option<Duration>,
    /// The fence of the claim, if another session made it.
    #[arg(long, value_name = "TOKEN")]
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
        printer.data(&format!(
            "{GOOD}✓{GOOD:#} Renewed, lease ends {}\n",
            times.relative(claim.until)
        ));
    }
    Ok(Exit::Success)
}
