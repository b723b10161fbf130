//! `tasuki diff`: compares two packets by meaning, in any form.

use std::path::PathBuf;

use tasuki_packet::patch::diff::{diff, to_patch};

use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, Secrets};
use crate::output::change;
use crate::output::printer::Printer;

/// Compare two packets.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki diff before.yaml after.json\n  tasuki diff --patch before.yaml after.yaml > change.json\n\nCompares by meaning: the order of members, comments and quoting do not count.\n\nExit codes: 0 equal, 1 different."
)]
pub(crate) struct Arguments {
    /// The first packet, or `-` for stdin.
    before: PathBuf,
    /// The second packet, or `-` for stdin.
    after: PathBuf,
    /// Print a JSON Patch (RFC 6902) that turns the first into the second.
    #[arg(long)]
    patch: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let before = packet_file::load(&arguments.before, &Secrets::redacted())?;
    let after = packet_file::load(&arguments.after, &Secrets::redacted())?;
    // Secrets are compared, but not shown.
    let is_same = before.digest == after.digest;
    let (before, after) = (before.opened.packet.to_value(), after.opened.packet.to_value());
    let changes = diff(&before, &after);
    if arguments.patch {
        let operations = to_patch(&before, &after);
        let text = serde_json::to_string_pretty(&operations).expect("a patch is a JSON value");
        printer.data(&format!("{text}\n"));
    } else {
        for change in &changes {
            if printer.is_json() {
                printer.json(change);
            } else {
                printer.data(&change::line(change));
            }
        }
    }
    if is_same {
        printer.remark("The packets are equal.");
    } else if changes.is_empty() {
        printer.remark("The packets differ only in secrets, which are not shown.");
    }
    Ok(if is_same { Exit::Success } else { Exit::Found })
}
