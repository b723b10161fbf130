//! `tasuki drift`: compares a packet with this directory.
//!
//! The comparison is in `crate::drift`, its table in `crate::output::drift`.

use std::path::{Path, PathBuf};

use tasuki_packet::duration;

use crate::drift::{self, Options};
use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, LoadedPacket, Secrets};
use crate::output::drift::{announce_checks, summary, table};
use crate::output::printer::Printer;

/// Compare a packet with this directory.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki drift handoff.yaml\n  tasuki drift handoff.yaml --all\n  tasuki drift handoff.yaml --run-checks --timeout 2m\n\nCompares branch, commit, files and tools with the current directory. Commands of the packet (`acceptance[].run`) run only with `--run-checks`: read them first, another party wrote them.\n\nExit codes: 0 unchanged, 1 something changed or is missing."
)]
pub(crate) struct Arguments {
    /// The packet, or `-` for stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Also show what is unchanged and what was skipped.
    #[arg(long)]
    all: bool,
    /// Run the commands of the acceptance criteria, with your permissions.
    #[arg(long)]
    run_checks: bool,
    /// The timeout of each command.
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

/// Announces the commands. A packet with secrets is refused, because redaction would change its commands.
fn announce_or_refuse(
    arguments: &Arguments,
    read: &LoadedPacket,
    printer: &Printer,
) -> Result<(), Failure> {
    let packet = &read.opened.packet;
    if packet.digest() != read.digest {
        let message = format!("{} contains a secret, so its checks cannot run", read.input.name);
        return Err(Failure::refused(message)
            .hint("`tasuki validate` shows where; run the checks by hand if they need it"));
    }
    announce_checks(packet, arguments.timeout, printer);
    Ok(())
}
