//! `tasuki token`: what an agent shows a server to prove who it is.

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

/// Create, list and revoke the tokens of the project.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Create a token for a party and print it, once.
    #[command(
        after_help = "Examples:\n  TOKEN=$(tasuki token create --as hermes-main)\n  tasuki token create --as inbox --scope submit --for 7d --name \"web form\"\n  tasuki token create --as ci --from 10.0.0.0/8 --from 2001:db8::/32\n\nScopes: submit, receive, read, decide, verify, admin. An agent gets submit, receive and read unless others are named, a person decide and verify besides. `submit` alone is a write-only inbox.\n\nOnly the token goes to stdout. It cannot be looked up again."
    )]
    Create(Create),
    /// List the tokens of the project, without their texts.
    Ls {
        #[command(flatten)]
        flags: Flags,
    },
    /// Let a token work no longer.
    #[command(
        after_help = "Example:\n  tasuki token revoke a5a5a5a5\n\nThe text of a token shows these digits: tasuki_<kind>_<project>_<digits>_…"
    )]
    Revoke {
        /// The token, by id or the last digits of it.
        #[arg(value_name = "ID")]
        token: String,
        #[command(flatten)]
        flags: Flags,
    },
}

#[derive(Debug, clap::Args)]
struct Create {
    /// What it is good for, with commas between.
    #[arg(long, value_name = "SCOPES", value_delimiter = ',', value_parser = scope)]
    scope: Vec<Scope>,
    /// How long it works, such as 7d; 30d unless said, 90d at most.
    #[arg(long = "for", value_name = "TIME")]
    life: Option<Duration>,
    /// A network it may be used from, such as 10.0.0.0/8; anywhere unless said. May be repeated.
    #[arg(long, value_name = "NETWORK", value_delimiter = ',')]
    from: Vec<Network>,
    /// What to call it in lists.
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::named(word).ok_or_else(|| {
        let words: Vec<&str> = Scope::ALL.into_iter().map(Scope::as_str).collect();
        format!("the scopes are {}", words.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Create(arguments) => create(arguments, printer),
        Command::Ls { flags } => list(flags, printer),
        Command::Revoke { token, flags } => revoke(token, flags, printer),
    }
}

/// `--as` says whose token it is; whoever can write the place, or an admin of a server, creates it.
fn create(arguments: &Create, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_on_behalf(&arguments.flags, printer)?;
    let request = CreateToken {
        party: exchange.subject_name()?,
        scopes: (!arguments.scope.is_empty()).then(|| arguments.scope.iter().copied().collect()),
        expires_in: arguments.life,
        from: arguments.from.clone(),
        name: arguments.name.clone(),
    };
    let answer = exchange.create_token(request)?;
    if printer.is_json() {
        printer.json(&answer);
    } else if let Some(api::Token { text: Some(text), party, scopes, expires_at, id, .. }) =
        answer.token.map(|token| *token)
    {
        printer.data(&format!("{}\n", text.0));
        let times = exchange.time_formatter();
        printer.remark(&format!(
            "{GOOD}✓{GOOD:#} Created {id} for {party}: {}; it ends {}. It is shown only here.",
            scopes.join(", "),
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
        vec![["ID", "PARTY", "SCOPES", "FROM", "ENDS", "USED", "NAME"].map(str::to_owned)];
    rows.extend(tokens.into_iter().map(|token| {
        let ends = ends(&token, times);
        let ending = format!("tok_{}", &token.id[token.id.len() - 8..]);
        let name = excerpt(token.name.as_deref().unwrap_or_default());
        let from = if token.from.is_empty() { "anywhere".to_owned() } else { token.from.join(",") };
        let used = token.last_used.map_or_else(|| "never".to_owned(), |at| times.past(at));
        [ending, token.party, token.scopes.join(","), from, ends, used, name]
    }));
    if rows.len() == 1 {
        printer.remark("No tokens yet. Next: tasuki token create --as NAME");
        return Ok(Exit::Success);
    }
    printer.data(&columns(&rows));
    Ok(Exit::Success)
}

fn ends(token: &api::Token, times: TimeFormatter) -> String {
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
    let id =
        token.id.parse().map_err(|error| not_found(format!("the token has no id: {error}")))?;
    let command = EngineCommand::RevokeToken(RevokeToken { token: id });
    let answer = exchange.run(command, None)?;
    if printer.is_json() {
        printer.json(&answer);
        return Ok(Exit::Success);
    }
    let word = if answer.repeated { "Was revoked before:" } else { "Revoked" };
    printer.data(&format!("{GOOD}✓{GOOD:#} {word} {} of {}\n", token.id, token.party));
    Ok(Exit::Success)
}

/// The token that a person means: a whole id, or a unique ending of it.
fn find<'t>(tokens: &'t [api::Token], written: &str) -> Result<&'t api::Token, Failure> {
    let matching = tokens.iter().filter(|token| matches_id(&token.id, "tok_", written));
    match matching.collect::<Vec<_>>()[..] {
        [one] => Ok(one),
        [] => {
            let message = format!("no token is called `{}` [TK-TOKEN-UNKNOWN]", excerpt(written));
            Err(not_found(message).hint("`tasuki token ls` lists the tokens of this project"))
        }
        _ => Err(not_found(format!("`{}` may be any of several tokens", excerpt(written)))
            .hint("use more digits")),
    }
}

fn not_found(message: String) -> Failure {
    Failure { exit: Exit::NotFound, ..Failure::usage(message) }
}
