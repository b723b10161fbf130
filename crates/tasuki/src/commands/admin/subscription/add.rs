//! Adds subscriptions and rotates secrets. Both print the secret once.

use clap::{ArgGroup, ValueEnum};
use tasuki_api as api;
use tasuki_engine::steps::{AddSubscription, NewChannel};

use super::{SubscriptionArguments, address, short};
use crate::backend;
use crate::commands::query::event_filter::EventFilterFlags;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::{GOOD, Printer};

#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("channel").required(true)))]
pub(super) struct Arguments {
    /// Deliver to this webhook, with signed requests.
    #[arg(long, value_name = "URL", group = "channel")]
    url: Option<String>,
    /// How to sign requests.
    #[arg(long, value_enum, default_value = "shared", requires = "url")]
    signing: Signing,
    /// Deliver to this email address.
    #[arg(long, value_name = "ADDRESS", group = "channel")]
    email: Option<String>,
    /// The recipient; you by default.
    #[arg(long = "for", value_name = "PARTY")]
    recipient: Option<String>,
    #[command(flatten)]
    filter_flags: EventFilterFlags,
    #[command(flatten)]
    flags: Flags,
}

/// How to sign requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Signing {
    /// With a shared secret.
    Shared,
    /// With a key pair, whose public key is printed.
    KeyPair,
}

pub(super) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    let party = match &arguments.recipient {
        Some(recipient) => recipient.clone(),
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
        printer.remark("Next: tasuki serve, which delivers");
    }
    Ok(Exit::Success)
}

pub(super) fn rotate(one: &SubscriptionArguments, printer: &Printer) -> Result<Exit, Failure> {
    let selected = one.select(printer)?;
    let answer = selected.exchange.rotate(selected.id)?;
    print_secret(&answer, "Rotated the secret of", printer);
    if !printer.is_json() {
        printer.remark("The old secret stays valid for 24 hours.");
    }
    Ok(Exit::Success)
}

/// Prints the secret or public key to stdout, and everything else to stderr.
fn print_secret(answer: &api::CommandResponse, word: &str, printer: &Printer) {
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    let Some(one) = &answer.subscription else { return };
    let (key, once) = match (&one.secret, &one.public_key) {
        (Some(secret), _) => (Some(&secret.0), " The secret is shown only once."),
        (None, public) => (public.as_ref(), ""),
    };
    if let Some(key) = key {
        printer.data(&format!("{key}\n"));
    }
    printer.remark(&format!(
        "{GOOD}✓{GOOD:#} {word} {} for {}: {} to {}.{once}",
        short(&one.id),
        one.party,
        one.kind,
        excerpt(&address(one))
    ));
}
