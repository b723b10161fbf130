//! `tasuki party`: manages the parties of a project.

use clap::Subcommand;
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::model::PartyKind;
use tasuki_engine::steps::AddParty;

use super::absence;
use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::command_result;
use crate::output::escape::excerpt;
use crate::output::printer::{FAINT, GOOD, Printer, STRONG};
use crate::output::table::columns;

/// Manage parties.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add or change a party.
    #[command(
        after_help = "Examples:\n  tasuki party add hermes-main\n  tasuki party add ana --human --email ana@example.org\n  tasuki party add role:reviewer --member ana --member ben\n  tasuki party add coder --skill python --alias \"Web Coder\"\n\nA person is prompted for a password, which they need to sign in and to sign at a gate. Once one person has a password, every local decision asks for one, and so does adding the next person. Options of an existing party are added to what it has."
    )]
    Add(Add),
    /// Name a deputy for a person who is away.
    #[command(
        after_help = "Examples:\n  tasuki party away ana --deputy ben --for 5d\n  tasuki party away ana --deputy ben --from 2026-12-23T17:00:00Z --until 2027-01-02T08:00:00Z\n\nUntil the end, the deputy sees in their inbox what waits for the person, marked `for ana`, is notified of it, and decides in the person's place. The log records for whom. A deputy never signs at a gate, never decides about their own work or that of the person, and has no deputy. The person may still decide.\n\nThe absence ends by itself, after at most 90 days; `tasuki party back` ends it earlier."
    )]
    Away(absence::Away),
    /// End the absence of a person before its time.
    #[command(after_help = "Example:\n  tasuki party back ana")]
    Back(absence::Back),
    /// Show a party.
    #[command(after_help = "Example:\n  tasuki party show ana")]
    Show {
        /// The name or an alias of the party.
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
    /// List the parties of the project.
    #[command(visible_alias = "ls")]
    List {
        #[command(flatten)]
        flags: Flags,
    },
}

#[derive(Debug, clap::Args)]
struct Add {
    /// The name; a role begins with `role:`.
    #[arg(value_name = "NAME")]
    name: String,
    /// The party is a person.
    #[arg(long)]
    human: bool,
    /// An alias that packets may use; may be repeated.
    #[arg(long, value_name = "NAME")]
    alias: Vec<String>,
    /// A member to add to the role; may be repeated.
    #[arg(long, value_name = "PARTY")]
    member: Vec<String>,
    /// A member to remove from the role; may be repeated.
    #[arg(long, value_name = "PARTY")]
    without: Vec<String>,
    /// A skill; may be repeated.
    #[arg(long, value_name = "SKILL")]
    skill: Vec<String>,
    /// A contract version that it supports, such as review@1.2; may be repeated.
    #[arg(long, value_name = "CONTRACT")]
    reads: Vec<String>,
    /// An authority that it may have, such as write:src/*; may be repeated.
    #[arg(long, value_name = "AUTHORITY")]
    authority: Vec<String>,
    /// A party that it may send for; may be repeated.
    #[arg(long, value_name = "PARTY")]
    sends_for: Vec<String>,
    /// The email address of the person; an empty text removes it.
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// Set no password; the person cannot sign at a gate.
    #[arg(long, requires = "human")]
    no_password: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Add(arguments) => add(arguments, printer),
        Command::Away(arguments) => absence::away(arguments, printer),
        Command::Back(arguments) => absence::back(arguments, printer),
        Command::Show { name, flags } => show(name, flags, printer),
        Command::List { flags } => list(flags, printer),
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
    let is_known = exchange.party(&arguments.name).is_ok();
    let answer = exchange.run(EngineCommand::AddParty(request), None)?;
    if let Some(hash) = &hash {
        exchange.store_password(&arguments.name, hash)?;
    }
    if printer.is_json() {
        printer.json(&answer);
    } else if let Some(party) = &answer.party {
        let is_unchanged = answer.repeated && hash.is_none();
        let (name, kind) = (&party.name, &party.kind);
        printer.data(&match (is_unchanged, is_known) {
            (true, _) => format!("{GOOD}✓{GOOD:#} {name} ({kind}) is unchanged\n"),
            (false, true) => format!("{GOOD}✓{GOOD:#} Changed {name} ({kind})\n"),
            (false, false) => format!("{GOOD}✓{GOOD:#} Added {name} ({kind})\n"),
        });
    }
    if hash.is_some() {
        printer.remark("Set the password. Earlier sign-in sessions have ended.");
    }
    command_result::registered(&answer, printer);
    if arguments.human && !arguments.no_password && exchange.settings().url.is_some() {
        printer.remark("note: to set a password, run this command on the machine of the exchange");
    }
    Ok(Exit::Success)
}

fn show(name: &str, flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(flags)?;
    let (card, now) = (exchange.party(name)?, exchange.now());
    if printer.is_json() {
        printer.json(&card);
        return Ok(Exit::Success);
    }
    let mut text = format!("{STRONG}{}{STRONG:#}  {}\n", card.name, card.kind);
    let away = card.absence.as_ref().filter(|absence| absence.until > now).map(absence::words);
    let listed = |list: Vec<String>| (!list.is_empty()).then(|| list.join(", "));
    for (name, value) in [
        ("id", Some(card.id)),
        ("aliases", listed(card.aliases)),
        ("members", listed(card.members)),
        ("skills", listed(card.skills)),
        ("reads", listed(card.reads)),
        ("authority", card.authority.map(|list| list.join(", "))),
        ("sends for", listed(card.sends_for)),
        ("away", away),
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
