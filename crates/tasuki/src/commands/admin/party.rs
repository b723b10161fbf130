//! `tasuki party`: who can send and receive.

use clap::Subcommand;
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::model::PartyKind;
use tasuki_engine::steps::AddParty;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::{FAINT, GOOD, Printer, STRONG};
use crate::output::table::columns;

/// Add, change and list parties.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add a party, or add to what is known of one.
    #[command(
        after_help = "Examples:\n  tasuki party add hermes-main\n  tasuki party add ana --human --email ana@example.org\n  tasuki party add role:reviewer --member ana --member ben\n  tasuki party add coder --skill python --alias \"Web Coder\"\n\nA person is asked for a password, which signing at a gate needs. It is typed, never a flag."
    )]
    Add(Add),
    /// Print what is known of one party.
    #[command(after_help = "Example:\n  tasuki party show ana")]
    Show {
        /// Its name, or another name for it.
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
    /// List the parties of the project.
    Ls {
        #[command(flatten)]
        flags: Flags,
    },
}

#[derive(Debug, clap::Args)]
struct Add {
    /// Its name; the names of roles begin with `role:`.
    #[arg(value_name = "NAME")]
    name: String,
    /// It is a person.
    #[arg(long)]
    human: bool,
    /// Another name that packets may use for it.
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// A member of the role.
    #[arg(long, value_name = "PARTY")]
    member: Vec<String>,
    /// Somebody who is no longer a member of the role.
    #[arg(long, value_name = "PARTY")]
    without: Vec<String>,
    /// Something it can be sent for.
    #[arg(long, value_name = "SKILL")]
    skill: Vec<String>,
    /// A contract version it reads, such as review@1.2.
    #[arg(long, value_name = "CONTRACT")]
    reads: Vec<String>,
    /// What it may do at most, such as write:src/*.
    #[arg(long, value_name = "AUTHORITY")]
    authority: Vec<String>,
    /// A party in whose name it may send.
    #[arg(long, value_name = "PARTY")]
    sends_for: Vec<String>,
    /// Where the person gets mail; an empty text takes it away.
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// Do not ask for a password; the person cannot sign at a gate then.
    #[arg(long, requires = "human")]
    no_password: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Add(arguments) => add(arguments, printer),
        Command::Show { name, flags } => show(name, flags, printer),
        Command::Ls { flags } => list(flags, printer),
    }
}

fn add(arguments: &Add, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    let stated = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
    let request = AddParty {
        name: arguments.name.clone(),
        kind: arguments.human.then_some(PartyKind::Human),
        aliases: arguments.alias.clone(),
        members: arguments.member.clone(),
        without_members: arguments.without.clone(),
        skills: arguments.skill.clone(),
        reads: stated(&arguments.reads),
        authority: stated(&arguments.authority),
        sends_for: arguments.sends_for.clone(),
        email: arguments.email.clone(),
    };
    let hash = if arguments.human && !arguments.no_password {
        exchange.prompt_new_password(&arguments.name)?
    } else {
        None
    };
    let answer = exchange.run(EngineCommand::AddParty(request), None)?;
    if let Some(hash) = &hash {
        exchange.store_password(&arguments.name, hash)?;
    }
    if printer.is_json() {
        printer.json(&answer);
    } else if let Some(party) = &answer.party {
        let word = outcome(answer.repeated, hash.is_some());
        printer.data(&format!("{GOOD}✓{GOOD:#} {word} {} ({})\n", party.name, party.kind));
    }
    if hash.is_some() {
        printer.remark("The password is set. Sessions that were opened before it have ended.");
    }
    for name in &answer.registered {
        printer.remark(&format!("Added `{name}` to the project as an agent."));
    }
    if arguments.human && !arguments.no_password && exchange.settings().url.is_some() {
        printer
            .remark("A password is typed on the machine of the exchange, with the same command.");
    }
    Ok(Exit::Success)
}

/// What was done to a party. A password is no part of it, but setting one is a change.
fn outcome(is_as_before: bool, has_new_password: bool) -> &'static str {
    if is_as_before && !has_new_password { "Nothing to change for" } else { "Have" }
}

fn show(name: &str, flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let card = backend::open_anonymous(flags)?.party(name)?;
    if printer.is_json() {
        printer.json(&card);
        return Ok(Exit::Success);
    }
    let mut text = format!("{STRONG}{}{STRONG:#}  {}\n", card.name, card.kind);
    let listed = |list: Vec<String>| (!list.is_empty()).then(|| list.join(", "));
    for (name, value) in [
        ("id", Some(card.id)),
        ("aliases", listed(card.aliases)),
        ("members", listed(card.members)),
        ("skills", listed(card.skills)),
        ("reads", listed(card.reads)),
        ("authority", card.authority.map(|list| list.join(", "))),
        ("sends for", listed(card.sends_for)),
        ("email", card.email),
    ] {
        if let Some(value) = value {
            text.push_str(&format!("{FAINT}{name:<10}{FAINT:#} {}\n", excerpt(&value)));
        }
    }
    printer.data(&text);
    Ok(Exit::Success)
}

fn list(flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(flags)?;
    let parties = exchange.parties()?;
    if printer.is_json() {
        for party in &parties {
            printer.json(party);
        }
        return Ok(Exit::Success);
    }
    let mut rows = vec![["NAME", "KIND", "MEMBERS", "SKILLS"].map(str::to_owned)];
    rows.extend(
        parties.into_iter().map(|party| {
            [party.name, party.kind, party.members.join(", "), party.skills.join(", ")]
        }),
    );
    if rows.len() == 1 {
        printer.remark("No parties yet. Next: tasuki party add NAME");
        return Ok(Exit::Success);
    }
    printer.data(&columns(&rows));
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_password_is_a_change() {
        assert_eq!(outcome(true, false), "Nothing to change for");
        assert_eq!(outcome(true, true), "Have");
        assert_eq!(outcome(false, false), "Have");
    }
}
