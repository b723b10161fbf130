//! `tasuki decisions`: what people decided, for whoever wants to learn from it.

use clap::Subcommand;
use tasuki_engine::decisions::decisions;
use tasuki_engine::error::Error;

use crate::exit::{Exit, Failure};
use crate::local::Exchange;
use crate::printer::{Printer, counted};
use crate::settings::Flags;

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
        after_help = "Example:\n  tasuki decisions export > decisions.jsonl\n\nEach line has the packet that was shown, the decision, its reason, the packet that the person made of\nit and the seconds they looked. Secrets are cut out."
    )]
    Export {
        #[command(flatten)]
        flags: Flags,
    },
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let Command::Export { flags } = &arguments.command;
    let exchange = Exchange::open(flags)?;
    let store = exchange.engine.store().as_ref();
    let (mut next, mut count) = (Some(0), 0);
    while let Some(from) = next.filter(|_| !printer.is_unread()) {
        let page = exchange
            .wait(async { decisions(store, exchange.project, from).await.map_err(Error::from) })?;
        page.0.iter().for_each(|decided| printer.json(decided));
        count += page.0.len();
        next = page.1;
    }
    printer.remark(&format!("{}.", counted(count, "decision")));
    Ok(Exit::Success)
}
