//! `tasuki decisions`: exports the decisions of people.

use clap::Subcommand;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::printer::{Printer, counted};

/// Export decisions.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print every decision of a person as JSON Lines.
    #[command(
        after_help = "Example:\n  tasuki decisions export > decisions.jsonl\n\nEach line has the packet and action that were shown, the decision, its reason, the edited packet or action, and the seconds until the decision. Decisions of agents about their own handoffs are left out, and so are packets that a gate hides from the caller. Secrets are redacted."
    )]
    Export {
        #[command(flatten)]
        flags: Flags,
    },
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let Command::Export { flags } = &arguments.command;
    let exchange = backend::open_to_read(flags, printer)?;
    let (mut cursor, mut count) = (None, 0);
    loop {
        let (page, next) = exchange.decisions(cursor.as_deref())?;
        for decided in &page {
            printer.json(decided);
        }
        count += page.len();
        cursor = next;
        if cursor.is_none() || printer.is_reader_gone() {
            break;
        }
    }
    printer.remark(&format!("{}.", counted(count, "decision")));
    Ok(Exit::Success)
}
