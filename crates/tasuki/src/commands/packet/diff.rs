//! `tasuki diff`: what is different between two packets, whatever form they are in.

use std::path::PathBuf;

use serde_json::Value;
use tasuki_packet::diff::{Change, ChangeKind, diff, to_patch};

use crate::exit::{Exit, Failure};
use crate::input::packet_file::{self, Secrets};
use crate::output::printer::{BAD, FAINT, GOOD, NOTE, Printer};

/// Compare two packets by meaning: the order of members, comments and quoting do not count.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki diff before.yaml after.json\n  tasuki diff --patch before.yaml after.yaml > change.json\n\nExit codes: 0 the same, 1 different."
)]
pub(crate) struct Arguments {
    /// The first packet: a file, or `-` for stdin.
    before: PathBuf,
    /// The second packet: a file, or `-` for stdin.
    after: PathBuf,
    /// Print an RFC 6902 patch that turns the first into the second.
    #[arg(long)]
    patch: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let before = packet_file::readable(&arguments.before, &Secrets::redacted())?;
    let after = packet_file::readable(&arguments.after, &Secrets::redacted())?;
    // Secrets are compared, but what stands there is not shown.
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
                printer.data(&line(change));
            }
        }
    }
    if is_same {
        printer.remark("The packets are the same");
    } else if changes.is_empty() {
        printer.remark("The packets differ only in secrets, which are not shown");
    }
    Ok(if is_same { Exit::Success } else { Exit::Found })
}

/// One change on one line.
pub(crate) fn line(change: &Change) -> String {
    let pointer = &change.pointer;
    let before = change.before.as_ref().map(shown).unwrap_or_default();
    let after = change.after.as_ref().map(shown).unwrap_or_default();
    match change.kind {
        ChangeKind::Added => format!("{GOOD}+ {pointer}{GOOD:#}  {after}\n"),
        ChangeKind::Removed => format!("{BAD}- {pointer}{BAD:#}  {before}\n"),
        ChangeKind::Changed => {
            format!("{NOTE}~ {pointer}{NOTE:#}  {before} {FAINT}→{FAINT:#} {after}\n")
        }
        ChangeKind::Moved => {
            let from = change.from.as_deref().unwrap_or_default();
            format!("{NOTE}> {pointer}{NOTE:#}  {after} {FAINT}from {from}{FAINT:#}\n")
        }
    }
}

/// LIMIT: a value is cut on its line; `--json` has it whole.
const SHOWN_CHARS_MAX: usize = 120;

fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= SHOWN_CHARS_MAX {
        return text;
    }
    text.chars().take(SHOWN_CHARS_MAX).chain(['…']).collect()
}
