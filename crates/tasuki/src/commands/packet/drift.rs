//! `tasuki drift`: what has changed here since a packet was written.
//!
//! The comparison is in `crate::drift`, its table in `crate::output::drift`.

use std::path::{Path, PathBuf};

use tasuki_packet::duration;

use crate::drift::{self, Options};
use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, LoadedPacket, Secrets};
use crate::output::drift::{announce_checks, summary, table};
use crate::output::printer::Printer;

/// Say what has changed here since a packet was written: branch, commit, files, tools, checks.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki drift handoff.yaml\n  tasuki drift handoff.yaml --all\n  tasuki drift handoff.yaml --run-checks --timeout 2m\n\nThe current directory is looked at. Nothing that the packet or the repository names is run, but for `acceptance[].run` with `--run-checks`: look at those commands first, they are another party's.\n\nExit codes: 0 nothing has changed, 1 something differs or is missing."
)]
pub(crate) struct Arguments {
    /// The packet: a file, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show facts that hold and facts that were not looked at, too.
    #[arg(long)]
    all: bool,
    /// Run the commands of the packet's acceptance criteria, with your rights.
    #[arg(long)]
    run_checks: bool,
    /// How long each of them may run.
    #[arg(long, value_name = "DURATION", default_value = "10m", requires = "run_checks")]
    timeout: duration::Duration,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let read = packet_file::load(&arguments.file, &Secrets::redacted())?;
    if arguments.run_checks {
        announce_or_refuse(arguments, &read, printer)?;
    }
    let path = std::env::var_os("PATH");
    let options = if arguments.run_checks {
        Options::running(path, arguments.timeout)
    } else {
        Options::looking_only(path)
    };
    let drift = drift::check(&read.opened.packet, Path::new("."), &options);
    if printer.is_json() {
        printer.json(&drift.to_value());
    } else {
        printer.data(&table(&drift, arguments.all));
        printer.remark(&summary(&drift));
    }
    Ok(if drift.has_drift() { Exit::Found } else { Exit::Success })
}

/// Says that commands are going to run. A command with a secret taken out would be another one.
fn announce_or_refuse(
    arguments: &Arguments,
    read: &LoadedPacket,
    printer: &Printer,
) -> Result<(), Failure> {
    let packet = &read.opened.packet;
    if packet.digest() != read.digest {
        let message = format!("{} holds a secret, so its checks are not run", read.input.name);
        return Err(Failure::refused(message)
            .hint("`tasuki validate` says where; run the checks by hand if they need it"));
    }
    announce_checks(packet, arguments.timeout, printer);
    Ok(())
}
