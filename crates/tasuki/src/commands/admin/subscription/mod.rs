//! `tasuki subscription`: who is told of which events, and what became of it.

mod add;
mod deliver;
mod list;

use clap::Subcommand;
use tasuki_api as api;
use tasuki_packet::id::SubscriptionId;

use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::handoff_ref::matches_id;
use crate::input::value_parsers::limit;
use crate::output::escape::excerpt;
use crate::output::printer::{GOOD, Printer};

/// LIMIT: what a table shows of an address, a filter or a response.
const CELL_COLUMNS_MAX: usize = 44;

/// Let somebody be told of events, by webhook or by mail.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add a subscription, and print the secret of a webhook, once.
    #[command(
        after_help = "Examples:\n  SECRET=$(tasuki subscription add --url https://example.org/hooks --type held --type died)\n  tasuki subscription add --url https://example.org/hooks --signing key-pair --receiver coder\n  tasuki subscription add --email ana@example.org --for ana --task build-42\n\nEverything that a filter says must hold; without one it is every event, from the next one on. Only the secret goes to stdout. It cannot be looked up again; `rotate` makes a new one. A server delivers: `tasuki serve` runs one."
    )]
    Add(Box<add::Arguments>),
    /// List the subscriptions of the project, without their secrets.
    Ls {
        #[command(flatten)]
        flags: Flags,
    },
    /// Print what is known of one subscription.
    #[command(after_help = "Example:\n  tasuki subscription show a5a5a5a5")]
    Show(SubscriptionArguments),
    /// List the last attempts to deliver, newest first.
    #[command(
        after_help = "Example:\n  tasuki subscription deliveries a5a5a5a5 --limit 5\n\nThe last 10,000 attempts of each subscription are kept."
    )]
    Deliveries {
        #[command(flatten)]
        one: SubscriptionArguments,
        /// At most so many.
        #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 20)]
        limit: u32,
    },
    /// Send a message that says nothing, and print what the receiver said to it.
    #[command(
        after_help = "Example:\n  tasuki subscription test a5a5a5a5 --server http://127.0.0.1:7420\n\nIt needs a server, which is what delivers. Exit codes: 0 it arrived, 1 it did not."
    )]
    Test(SubscriptionArguments),
    /// Deliver a range of events again, in order, each with the id that it had.
    #[command(
        after_help = "Examples:\n  tasuki subscription replay a5a5a5a5 --from 118 --to 240\n  tasuki subscription replay a5a5a5a5 --from 118\n\nIt needs a server, which is what delivers, and stops at the first event that does not arrive.\n\nExit codes: 0 all arrived, 1 one did not."
    )]
    Replay {
        #[command(flatten)]
        one: SubscriptionArguments,
        /// The first event.
        #[arg(long, value_name = "NUMBER")]
        from: u64,
        /// The last event; without it, the newest.
        #[arg(long, value_name = "NUMBER")]
        to: Option<u64>,
    },
    /// Give a webhook a new secret, and print it, once.
    #[command(
        after_help = "Example:\n  SECRET=$(tasuki subscription rotate a5a5a5a5)\n\nFor 24 hours the old secret signs beside the new one, so change it at the receiver within a day."
    )]
    Rotate(SubscriptionArguments),
    /// Let a subscription wait until it is enabled again.
    #[command(after_help = "Example:\n  tasuki subscription disable a5a5a5a5")]
    Disable(SubscriptionArguments),
    /// Let a subscription go on where it stood.
    #[command(after_help = "Example:\n  tasuki subscription enable a5a5a5a5")]
    Enable(SubscriptionArguments),
    /// Remove a subscription, with its address, its secrets and its deliveries.
    #[command(after_help = "Example:\n  tasuki subscription remove a5a5a5a5", visible_alias = "rm")]
    Remove(SubscriptionArguments),
}

#[derive(Debug, clap::Args)]
struct SubscriptionArguments {
    /// The subscription, by id or the last digits of it.
    #[arg(value_name = "ID")]
    subscription: String,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Add(arguments) => add::run(arguments, printer),
        Command::Ls { flags } => list::all(&*backend::open_anonymous(flags)?, printer),
        Command::Show(one) => list::one(one, printer),
        Command::Deliveries { one, limit } => deliver::attempts(one, *limit, printer),
        Command::Test(one) => deliver::test(one, printer),
        Command::Replay { one, from, to } => deliver::replay(one, *from, *to, printer),
        Command::Rotate(one) => add::rotate(one, printer),
        Command::Disable(one) => {
            change(one, ["Disabled", "Was disabled before:"], printer, |one| {
                one.exchange.disable(one.id)
            })
        }
        Command::Enable(one) => change(one, ["Enabled", "Was enabled before:"], printer, |one| {
            one.exchange.enable(one.id)
        }),
        Command::Remove(one) => {
            change(one, ["Removed", "Removed"], printer, |one| one.exchange.unsubscribe(one.id))
        }
    }
}

/// A subscription that was selected, and its exchange.
struct Selected {
    exchange: Box<dyn Backend>,
    id: SubscriptionId,
    shown: api::Subscription,
}

impl SubscriptionArguments {
    /// Selects the subscription by its whole id, or a unique ending of it.
    fn select(&self, printer: &Printer) -> Result<Selected, Failure> {
        let exchange = backend::open_as_operator(&self.flags, printer)?;
        let written = &self.subscription;
        let all = exchange.subscriptions()?;
        let selected: Vec<_> =
            all.into_iter().filter(|one| matches_id(&one.id, "sub_", written)).collect();
        let quoted = excerpt(written);
        match <[_; 1]>::try_from(selected) {
            Ok([one]) => {
                let id = one
                    .id
                    .parse()
                    .map_err(|error| not_found(format!("the subscription has no id: {error}")))?;
                Ok(Selected { exchange, id, shown: one })
            }
            Err(several) if several.is_empty() => {
                let code = "TK-SUBSCRIPTION-UNKNOWN";
                Err(not_found(format!("no subscription is called `{quoted}` [{code}]"))
                    .hint("`tasuki subscription ls` lists the subscriptions of this project"))
            }
            Err(_) => Err(not_found(format!("`{quoted}` may be any of several subscriptions"))
                .hint("use more digits")),
        }
    }
}

fn not_found(message: String) -> Failure {
    Failure { exit: Exit::NotFound, ..Failure::usage(message) }
}

fn change(
    one: &SubscriptionArguments,
    [done, before]: [&str; 2],
    printer: &Printer,
    act: impl FnOnce(&Selected) -> Result<api::CommandResponse, Failure>,
) -> Result<Exit, Failure> {
    let selected = one.select(printer)?;
    let answer = act(&selected)?;
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    let word = if answer.repeated { before } else { done };
    let (id, party) = (&selected.shown.id, &selected.shown.party);
    printer.data(&format!("{GOOD}✓{GOOD:#} {word} {id} for {party}\n"));
    Ok(Exit::Success)
}

/// The id as people type it.
fn short(id: &str) -> String {
    format!("sub_{}", &id[id.len().saturating_sub(8)..])
}

fn address(one: &api::Subscription) -> String {
    one.url.clone().or_else(|| one.address.clone()).unwrap_or_default()
}
