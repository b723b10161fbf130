//! `tasuki token`: manages the tokens with which parties authenticate to a server.

use clap::Subcommand;
use tasuki_api as api;
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::model::{Network, Scope};
use tasuki_engine::steps::{CreateToken, RevokeToken};
use tasuki_packet::duration::Duration;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::handoff_ref::matches_id;
use crate::output::escape::excerpt;
use crate::output::printer::{GOOD, Printer};
use crate::output::table::columns;
use crate::output::time::TimeFormatter;

/// Manage API tokens.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a token for a party.
    #[command(
        after_help = "Examples:\n  TOKEN=$(tasuki token create --as hermes-main)\n  tasuki token create --as inbox --to role:intake --for 7d --name \"web form\"\n  tasuki token create --as ci --from 10.0.0.0/8 --from 2001:db8::/32\n\nScopes: submit, receive, read, decide, verify, admin. By default an agent gets submit, receive, read and verify, which judges only what it sent; a person also gets decide. `submit` alone is a write-only token: it submits to the receivers that `--to` names, and reads and changes nothing.\n\nOnly the token goes to stdout. It is shown once and cannot be retrieved later."
    )]
    Create(Create),
    /// List tokens.
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        flags: Flags,
    },
    /// Revoke a token.
    #[command(
        after_help = "Example:\n  tasuki token revoke a5a5a5a5\n\nThe digits are part of the token: tasuki_<kind>_<project>_<digits>_…"
    )]
    Revoke {
        /// The id of the token, or its last digits.
        #[arg(value_name = "ID")]
        token: String,
        #[command(flatten)]
        flags: Flags,
    },
}

#[derive(Debug, clap::Args)]
struct Create {
    /// The scopes, separated by commas.
    #[arg(long, value_name = "SCOPES", value_delimiter = ',', value_parser = scope)]
    scope: Vec<Scope>,
    /// The lifetime, such as 7d; 30d by default, at most 90d.
    #[arg(long = "for", value_name = "TIME")]
    life: Option<Duration>,
    /// A receiver of a write-only token, such as role:intake. May be repeated. Implies the scope
    /// submit alone.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    to: Vec<String>,
    /// A network that it may be used from, such as 10.0.0.0/8; any by default. May be repeated.
    #[arg(long, value_name = "NETWORK", value_delimiter = ',')]
    from: Vec<Network>,
    /// A name for lists.
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::named(word).ok_or_else(|| {
        let words: Vec<&str> = Scope::ALL.into_iter().map(Scope::as_str).collect();
        format!("must be one of {}", words.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Create(arguments) => create(arguments, printer),
        Command::List { flags } => list(flags, printer),
        Command::Revoke { token, flags } => revoke(token, flags, printer),
    }
}

/// Creates a token for the party that `--as` names. The operator of a local exchange or an admin of a
/// server may do so.
fn create(arguments: &Create, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_on_behalf(&arguments.flags, printer)?;
    let request = CreateToken {
        party: exchange.subject_name()?,
        scopes: (!arguments.scope.is_empty()).then(|| arguments.scope.iter().copied().collect()),
        expires_in: arguments.life,
        to: arguments.to.clone(),
        from: arguments.from.clone(),
        name: arguments.name.clone(),
    };
    let answer = exchange.create_token(request)?;
    if printer.is_json() {
        printer.json(&answer);
    } else if let Some(api::Token { text: Some(text), party, scopes, to, expires_at, id, .. }) =
        answer.token.map(|token| *token)
    {
        printer.data(&format!("{}\n", text.0));
        let times = exchange.time_formatter();
        printer.remark(&format!(
            "{GOOD}✓{GOOD:#} Created {} for {party}: {}. It expires {} and is shown only once.",
            short_id(&id),
            permits(&scopes, &to, ", "),
            times.relative(expires_at)
        ));
    }
    Ok(Exit::Success)
}

fn list(flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(flags)?;
    let tokens = exchange.tokens()?;
    if printer.is_json() {
        for token in &tokens {
            printer.json(token);
        }
        return Ok(Exit::Success);
    }
    let times = exchange.time_formatter();
    let mut rows =
        vec![["ID", "PARTY", "SCOPES", "FROM", "EXPIRES", "LAST USED", "NAME"].map(str::to_owned)];
    rows.extend(tokens.into_iter().map(|token| {
        let expiry = expiry(&token, times);
        let id = short_id(&token.id);
        let name = excerpt(token.name.as_deref().unwrap_or_default());
        let from = if token.from.is_empty() { "anywhere".to_owned() } else { token.from.join(",") };
        let used = token.last_used.map_or_else(|| "never".to_owned(), |at| times.past(at));
        [id, token.party, permits(&token.scopes, &token.to, ","), from, expiry, used, name]
    }));
    if rows.len() == 1 {
        printer.remark("No tokens yet. Next: tasuki token create --as NAME");
        return Ok(Exit::Success);
    }
    printer.data(&columns(&rows));
    Ok(Exit::Success)
}

/// Returns the scopes, with the receivers of a write-only token.
fn permits(scopes: &[String], to: &[String], separator: &str) -> String {
    let scopes = scopes.join(separator);
    if to.is_empty() { scopes } else { format!("{scopes} to {}", to.join(separator)) }
}

/// Returns the id as people type it.
fn short_id(id: &str) -> String {
    format!("tok_{}", &id[id.len().saturating_sub(8)..])
}

fn expiry(token: &api::Token, times: TimeFormatter) -> String {
    match token.revoked_at {
        Some(at) => format!("revoked {}", times.past(at)),
        None if token.expires_at <= times.now => {
            format!("expired {}", times.past(token.expires_at))
        }
        None => times.relative(token.expires_at),
    }
}

fn revoke(written: &str, flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(flags, printer)?;
    let tokens = exchange.tokens()?;
    let token = find(&tokens, written)?;
    let id = token.id.parse().map_err(|error| not_found(format!("malformed token id: {error}")))?;
    let command = EngineCommand::RevokeToken(RevokeToken { token: id });
    let answer = exchange.run(command, None)?;
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    let word = if answer.repeated { "Already revoked:" } else { "Revoked" };
    let (id, party) = (short_id(&token.id), &token.party);
    printer.data(&format!("{GOOD}✓{GOOD:#} {word} {id} of {party}\n"));
    Ok(Exit::Success)
}

/// Finds a token by its id, or by a unique ending of it.
fn find<'t>(tokens: &'t [api::Token], written: &str) -> Result<&'t api::Token, Failure> {
    let matching = tokens.iter().filter(|token| matches_id(&token.id, "tok_", written));
    match matching.collect::<Vec<_>>()[..] {
        [one] => Ok(one),
        [] => {
            let message = format!("unknown token `{}` [TK-TOKEN-UNKNOWN]", excerpt(written));
            Err(not_found(message).hint("`tasuki token list` lists the tokens of this project"))
        }
        _ => Err(not_found(format!("`{}` matches several tokens", excerpt(written)))
            .hint("use more digits")),
    }
}

fn not_found(message: String) -> Failure {
    Failure { exit: Exit::NotFound, ..Failure::usage(message) }
}
