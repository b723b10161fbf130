//! `tasuki party away` and `tasuki party back`: deputies of people who are away.

use jiff::{SignedDuration, Timestamp};
use tasuki_api::{Absence, CommandResponse};
use tasuki_engine::command::Command;
use tasuki_engine::steps::{BeginAbsence, EndAbsence};
use tasuki_packet::duration::Duration;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::printer::{GOOD, Printer};

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("end").required(true)))]
pub(crate) struct Away {
    /// The person who is away.
    #[arg(value_name = "NAME")]
    person: String,
    /// The person who stands in.
    #[arg(long, value_name = "NAME")]
    deputy: String,
    /// The beginning, as RFC 3339; now by default.
    #[arg(long, value_name = "TIME")]
    from: Option<Timestamp>,
    /// The end, as RFC 3339.
    #[arg(long, value_name = "TIME", group = "end")]
    until: Option<Timestamp>,
    /// The length, instead of an end.
    #[arg(long = "for", value_name = "DURATION", group = "end")]
    length: Option<Duration>,
    #[command(flatten)]
    flags: Flags,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Back {
    /// The person who is back.
    #[arg(value_name = "NAME")]
    person: String,
    #[command(flatten)]
    flags: Flags,
}

pub(super) fn away(arguments: &Away, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    let from = arguments.from;
    let until = end(arguments, from.unwrap_or_else(|| exchange.now()))?;
    let (person, deputy) = (arguments.person.clone(), arguments.deputy.clone());
    let request = BeginAbsence { person, deputy, from, until };
    let answer = exchange.run(Command::BeginAbsence(request), None)?;
    print(&answer, printer, |name, absence| match absence {
        Some(absence) => format!("{name} is {}", words(absence)),
        None => format!("{name} is away"),
    });
    Ok(Exit::Success)
}

pub(super) fn back(arguments: &Back, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    let request = EndAbsence { person: arguments.person.clone() };
    let answer = exchange.run(Command::EndAbsence(request), None)?;
    let is_where = if answer.repeated { "is not away" } else { "is back" };
    print(&answer, printer, |name, _| format!("{name} {is_where}"));
    Ok(Exit::Success)
}

/// Formats an absence: `away until … (deputy ben)`.
pub(super) fn words(absence: &Absence) -> String {
    let Absence { deputy, from, until } = absence;
    format!("away from {from:.0} until {until:.0}; {deputy} stands in")
}

fn end(arguments: &Away, from: Timestamp) -> Result<Timestamp, Failure> {
    if let Some(until) = arguments.until {
        return Ok(until);
    }
    let milliseconds = arguments.length.map_or(0, Duration::milliseconds);
    let length = SignedDuration::from_millis(i64::try_from(milliseconds).unwrap_or(i64::MAX));
    from.checked_add(length).map_err(|error| {
        Failure::usage(format!("the absence would end too far in the future: {error}"))
            .hint("use a shorter `--for`; an absence lasts at most 90 days")
    })
}

fn print(
    answer: &CommandResponse,
    printer: &Printer,
    line: impl Fn(&str, Option<&Absence>) -> String,
) {
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    if let Some(party) = &answer.party {
        let line = line(&party.name, party.absence.as_ref());
        printer.data(&format!("{GOOD}✓{GOOD:#} {line}\n"));
    }
    for note in &answer.notes {
        printer.remark(&format!("note: {note}"));
    }
}
