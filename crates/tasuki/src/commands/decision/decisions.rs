//! `tasuki decisions`: what people decided, for whoever wants to learn from it.

use clap::Subcommand;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::printer::{Printer, counted};

/// Export what people decided.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print every decision of a person, with the packet that was shown, as JSON Lines.
    #[command(
        after_help = "Example:\n  tasuki decisions export > decisions.jsonl\n\nEach line has the packet that was shown, the action with it where a holder asked leave for one, the decision, its reason, what the person made of the action or the packet, and the seconds they looked. What agents decide about their own handoffs is not in it, nor what a gate keeps from whoever asks: people see all. Secrets are cut out."
    )]
    Export {
        #[command(flatten)]
        flags: Flags,
    },
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let Command::Export { flags } = &arguments.command;
    let exchange = backend::open_as_operator(flags, printer)?;
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
