//! `tasuki subscription`: manages subscriptions to events by webhook, email, Slack and ntfy.

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

/// LIMIT: columns of an address, a filter or a response in a table.
const CELL_COLUMNS_MAX: usize = 44;

/// Manage subscriptions by webhook, email, Slack and ntfy.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add a subscription.
    #[command(
        after_help = "Examples:\n  SECRET=$(tasuki subscription add --url https://example.org/hooks --type held --type died)\n  tasuki subscription add --url https://example.org/hooks --signing key-pair --receiver coder\n  tasuki subscription add --email ana@example.org --for ana --task build-42\n  tasuki subscription add --slack-file slack-url --for role:release\n  tasuki subscription add --ntfy-file topic-url --for ana --risk high\n\nAn event must match every filter; without filters all new events are delivered, and to Slack and ntfy those that leave work to people. Email, Slack and ntfy contain links, so they need the server setting `public_url`. Only the secret of a webhook goes to stdout. It is shown once; `rotate` makes a new one. Delivery needs a server: `tasuki serve`."
    )]
    Add(Box<add::Arguments>),
    /// List subscriptions.
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        flags: Flags,
    },
    /// Show a subscription.
    #[command(after_help = "Example:\n  tasuki subscription show a5a5a5a5")]
    Show(SubscriptionArguments),
    /// List delivery attempts, newest first.
    #[command(
        after_help = "Example:\n  tasuki subscription deliveries a5a5a5a5 --limit 5\n\nThe last 10,000 attempts of each subscription are kept."
    )]
    Deliveries {
        #[command(flatten)]
        one: SubscriptionArguments,
        /// The maximum number of attempts.
        #[arg(long, value_name = "COUNT", value_parser = limit::<u32>, default_value_t = 20)]
        limit: u32,
    },
    /// Send a test message.
    #[command(
        after_help = "Example:\n  tasuki subscription test a5a5a5a5 --server http://127.0.0.1:7420\n\nPrints the response of the receiver. Needs a server, because only a server delivers.\n\nExit codes: 0 delivered, 1 not delivered."
    )]
    Test(SubscriptionArguments),
    /// Deliver a range of events again.
    #[command(
        after_help = "Examples:\n  tasuki subscription replay a5a5a5a5 --from 118 --to 240\n  tasuki subscription replay a5a5a5a5 --from 118\n\nEvents are delivered in order, each with its original id, up to the first failure. Needs a server, because only a server delivers.\n\nExit codes: 0 all delivered, 1 one was not."
    )]
    Replay {
        #[command(flatten)]
        one: SubscriptionArguments,
        /// The first event.
        #[arg(long, value_name = "NUMBER")]
        from: u64,
        /// The last event; by default the newest.
        #[arg(long, value_name = "NUMBER")]
        to: Option<u64>,
    },
    /// Give a webhook a new secret.
    #[command(
        after_help = "Example:\n  SECRET=$(tasuki subscription rotate a5a5a5a5)\n\nPrints the secret once. For 24 hours messages are signed with both secrets, so change it at the receiver within a day."
    )]
    Rotate(SubscriptionArguments),
    /// Pause a subscription.
    #[command(after_help = "Example:\n  tasuki subscription disable a5a5a5a5")]
    Disable(SubscriptionArguments),
    /// Resume a subscription where it stopped.
    #[command(after_help = "Example:\n  tasuki subscription enable a5a5a5a5")]
    Enable(SubscriptionArguments),
    /// Remove a subscription with its secrets and deliveries.
    #[command(after_help = "Example:\n  tasuki subscription remove a5a5a5a5", visible_alias = "rm")]
    Remove(SubscriptionArguments),
}

#[derive(Debug, clap::Args)]
struct SubscriptionArguments {
    /// The id of the subscription, or its last digits.
    #[arg(value_name = "ID")]
    subscription: String,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Add(arguments) => add::run(arguments, printer),
        Command::List { flags } => list::all(&*backend::open_anonymous(flags)?, printer),
        Command::Show(one) => list::one(one, printer),
        Command::Deliveries { one, limit } => deliver::attempts(one, *limit, printer),
        Command::Test(one) => deliver::test(one, printer),
        Command::Replay { one, from, to } => deliver::replay(one, *from, *to, printer),
        Command::Rotate(one) => add::rotate(one, printer),
        Command::Disable(one) => change(one, ["Disabled", "Already disabled:"], printer, |one| {
            one.exchange.disable(one.id)
        }),
        Command::Enable(one) => {
            change(one, ["Enabled", "Already enabled:"], printer, |one| one.exchange.enable(one.id))
        }
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
        let exchange = backend::open_to_read(&self.flags, printer)?;
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
                    .map_err(|error| not_found(format!("malformed subscription id: {error}")))?;
                Ok(Selected { exchange, id, shown: one })
            }
            Err(several) if several.is_empty() => {
                let code = "TK-SUBSCRIPTION-UNKNOWN";
                Err(not_found(format!("unknown subscription `{quoted}` [{code}]"))
                    .hint("`tasuki subscription list` lists the subscriptions of this project"))
            }
            Err(_) => Err(not_found(format!("`{quoted}` matches several subscriptions"))
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
    let (id, party) = (short(&selected.shown.id), &selected.shown.party);
    printer.data(&format!("{GOOD}✓{GOOD:#} {word} {id} for {party}\n"));
    Ok(Exit::Success)
}

/// Returns the id as people type it.
fn short(id: &str) -> String {
    format!("sub_{}", &id[id.len().saturating_sub(8)..])
}

fn address(one: &api::Subscription) -> String {
    one.url.clone().or_else(|| one.address.clone()).unwrap_or_default()
}
