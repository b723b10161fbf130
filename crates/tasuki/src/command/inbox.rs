//! `tasuki inbox`: what waits for me, and when the exchange looked.

use crate::door;
use crate::exit::{Exit, Failure};
use crate::local::{Moment, next_of, table};
use crate::printer::{Printer, counted};
use crate::settings::Flags;

/// Show what waits for me.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki inbox --as hermes-worker-3\n  tasuki inbox --fields id,state,goal\n  tasuki inbox --json | jq -r '.handoffs[].id'\n\nAn inbox says at which event and time the exchange looked; if it could not look, that is an error."
)]
pub(crate) struct Arguments {
    /// At most so many.
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    limit: u32,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = door::caller(&arguments.flags, printer)?;
    let inbox = exchange.inbox(arguments.limit)?;
    if printer.is_json() {
        printer.json_about(&inbox, &inbox.handoffs);
        return Ok(Exit::Success);
    }
    let moment = Moment::new(inbox.as_of, exchange.settings());
    let looked = format!("Looked at event {}, {:.0}.", inbox.as_of_n, inbox.as_of);
    if inbox.handoffs.is_empty() {
        printer.remark(&format!("Nothing waits for {}. {looked}", inbox.party));
        return Ok(Exit::Success);
    }
    printer.data(&table(&inbox.handoffs, moment));
    let more = if inbox.more { " and more" } else { "" };
    let count = counted(inbox.handoffs.len(), "handoff");
    let next = next_of(&inbox.handoffs, &exchange.looker());
    printer.remark(&format!("{count}{more}. Next: {next}"));
    printer.remark(&looked);
    Ok(Exit::Success)
}
