//! Adding a subscription, and giving a webhook a new secret: both print what the receiver needs, once.

use clap::{ArgGroup, ValueEnum};
use tasuki_api as api;
use tasuki_engine::steps::{AddSubscription, NewChannel};

use super::{SubscriptionArguments, address};
use crate::backend;
use crate::commands::query::event_filter::EventFilterFlags;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::{GOOD, Printer};

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("channel").required(true)))]
pub(super) struct Arguments {
    /// Tell by a signed request to this address.
    #[arg(long, value_name = "URL", group = "channel")]
    url: Option<String>,
    /// How requests are signed.
    #[arg(long, value_enum, default_value = "shared", requires = "url")]
    signing: Signing,
    /// Tell by mail to this address.
    #[arg(long, value_name = "ADDRESS", group = "channel")]
    email: Option<String>,
    /// Who is told; you, unless said.
    #[arg(long = "for", value_name = "PARTY")]
    told: Option<String>,
    #[command(flatten)]
    filter_flags: EventFilterFlags,
    #[command(flatten)]
    flags: Flags,
}

/// How requests are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Signing {
    /// With a secret that both sides know.
    Shared,
    /// With a key of which the receiver knows only the public half, which is printed.
    KeyPair,
}

pub(super) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    let party = match &arguments.told {
        Some(told) => told.clone(),
        None => exchange.own_name()?,
    };
    let channel = match (&arguments.url, &arguments.email) {
        (Some(url), _) => {
            let signing = match arguments.signing {
                Signing::Shared => tasuki_api::Signing::Shared,
                Signing::KeyPair => tasuki_api::Signing::KeyPair,
            };
            NewChannel::Webhook { url: url.clone(), signing }
        }
        (None, address) => NewChannel::Email { address: address.clone().unwrap_or_default() },
    };
    let filter = arguments.filter_flags.filter(&*exchange)?;
    let answer = exchange.subscribe(AddSubscription { party, channel, filter })?;
    print_secret(&answer, "Added", printer);
    if !printer.is_json() && exchange.settings().url.is_none() {
        printer.remark("A server delivers it. Next: tasuki serve");
    }
    Ok(Exit::Success)
}

pub(super) fn rotate(one: &SubscriptionArguments, printer: &Printer) -> Result<Exit, Failure> {
    let selected = one.select(printer)?;
    let answer = selected.exchange.rotate(selected.id)?;
    print_secret(&answer, "Changed the secret of", printer);
    if !printer.is_json() {
        printer.remark("The old one signs beside it for 24 hours.");
    }
    Ok(Exit::Success)
}

/// What the receiver checks requests with is the only thing on stdout.
fn print_secret(answer: &api::CommandResponse, word: &str, printer: &Printer) {
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    let Some(one) = &answer.subscription else { return };
    let (key, once) = match (&one.secret, &one.public_key) {
        (Some(secret), _) => (Some(&secret.0), " The secret is shown only here."),
        (None, public) => (public.as_ref(), ""),
    };
    if let Some(key) = key {
        printer.data(&format!("{key}\n"));
    }
    printer.remark(&format!(
        "{GOOD}✓{GOOD:#} {word} {} for {}: {} to {}.{once}",
        one.id,
        one.party,
        one.kind,
        excerpt(&address(one))
    ));
}
