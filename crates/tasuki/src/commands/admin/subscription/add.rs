//! Adds subscriptions and rotates secrets. Both print the secret once.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, ValueEnum};
use tasuki_api as api;
use tasuki_engine::steps::{AddSubscription, NewChannel};

use super::{SubscriptionArguments, address, short};
use crate::backend;
use crate::commands::query::event_filter::EventFilterFlags;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::file;
use crate::output::escape::excerpt;
use crate::output::printer::{GOOD, Printer};

#[derive(Debug, clap::Args)]
#[command(
    group(ArgGroup::new("channel").required(true)),
    override_usage = "tasuki subscription add [OPTIONS] <--url|--email|--slack-file|--ntfy-file>"
)]
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
    /// Deliver to the Slack incoming webhook whose URL is in this file; `-` reads stdin.
    #[arg(long, value_name = "FILE", group = "channel")]
    slack_file: Option<PathBuf>,
    /// Deliver to the ntfy topic whose URL is in this file; `-` reads stdin.
    #[arg(long, value_name = "FILE", group = "channel")]
    ntfy_file: Option<PathBuf>,
    /// The file with the access token of the ntfy server.
    #[arg(long, value_name = "FILE", requires = "ntfy_file")]
    ntfy_token_file: Option<PathBuf>,
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
    let channel = channel(arguments)?;
    let filter = arguments.filter_flags.filter(&*exchange)?;
    let answer = exchange.subscribe(AddSubscription { party, channel, filter })?;
    print_secret(&answer, "Added", printer);
    if !printer.is_json() && exchange.settings().url.is_none() {
        printer.remark("Next: tasuki serve, which delivers");
    }
    Ok(Exit::Success)
}

fn channel(arguments: &Arguments) -> Result<NewChannel, Failure> {
    let Arguments { url, email, slack_file, ntfy_file, ntfy_token_file, .. } = arguments;
    if let Some(url) = url {
        let signing = match arguments.signing {
            Signing::Shared => api::Signing::Shared,
            Signing::KeyPair => api::Signing::KeyPair,
        };
        return Ok(NewChannel::Webhook { url: url.clone(), signing });
    }
    if let Some(file) = slack_file {
        return Ok(NewChannel::Slack { url: secret(file)? });
    }
    if let Some(file) = ntfy_file {
        let token = ntfy_token_file.as_deref().map(secret).transpose()?;
        return Ok(NewChannel::Ntfy { url: secret(file)?, token });
    }
    Ok(NewChannel::Email { address: email.clone().unwrap_or_default() })
}

/// Reads a secret from the first line of a file. Other users of this machine can see arguments, so
/// a secret is never one.
fn secret(file: &Path) -> Result<api::Secret, Failure> {
    let bytes = file::bytes(file)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(api::Secret(text.lines().next().unwrap_or_default().trim().to_owned()))
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
