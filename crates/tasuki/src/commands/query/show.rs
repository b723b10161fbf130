//! `tasuki show`: one handoff, its packet, what came back and what can be done with it.

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_api::HandoffDetails;
use tasuki_packet::{Packet, render};

use super::{returns, trail};
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::handoff_ref::parse_revision;
use crate::output::escape::escape;
use crate::output::handoff::{claimable_from, headline};
use crate::output::next_steps::commands_for;
use crate::output::printer::{FAINT, Printer, STRONG};

/// Show one handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki show 1a2b3c\n  tasuki show 1a2b3c@1 --packet\n  tasuki show build-42 --return > return.json\n  tasuki show build-42 --json\n  tasuki show build-42 --trail --json > audit.json"
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names a revision.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// Print the packet exactly as it was sent, and nothing else.
    #[arg(long)]
    packet: bool,
    /// Print the return packet that came last, as JSON, and nothing else. Where the work was passed on,
    /// it is that of whoever finished it.
    #[arg(long = "return", conflicts_with = "packet")]
    returned: bool,
    /// Print the audit trail: every leaf of the log about it, with its hash.
    #[arg(long, conflicts_with_all = ["packet", "returned"])]
    trail: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(&arguments.flags, printer)?;
    exchange.apply_due()?;
    if arguments.trail {
        return trail::run(&*exchange, &arguments.handoff, printer);
    }
    if arguments.returned {
        return returns::run(&*exchange, &arguments.handoff, printer);
    }
    let revision = parse_revision(&arguments.handoff)?;
    if arguments.packet {
        let sent = exchange.packet_as_sent(&arguments.handoff, revision)?;
        printer.data(&String::from_utf8_lossy(&sent));
        return Ok(Exit::Success);
    }
    let shown = exchange.details(&arguments.handoff, revision)?;
    if printer.is_json() {
        printer.json(&shown);
    } else {
        printer.data(&card(&*exchange, &shown));
        let next = commands_for(&shown.handoff, &exchange.next_steps_context());
        if !next.is_empty() {
            printer.remark(&format!("Next: {}", next.join(" · ")));
        }
    }
    Ok(Exit::Success)
}

/// A gate and how far it is signed: `release@1.0  safety 1 of 1 (pia), eyes 0 of 2`.
fn gate_progress(gate: &api::Gate, now: Timestamp) -> String {
    let factor = |factor: &api::Factor| {
        let counts = |one: &&api::Signature| one.until.is_none_or(|until| now < until);
        let by: Vec<&str> = factor.signed.iter().filter(counts).map(|one| &*one.by).collect();
        let names = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
        format!("{} {} of {}{names}", factor.name, by.len(), factor.needed)
    };
    let factors: Vec<String> = gate.factors.iter().map(factor).collect();
    format!("{}  {}", gate.name, factors.join(", "))
}

/// An open question: `qst_… of ben, about acceptance, blocking: Which browsers?`.
fn question_line(question: &api::OpenQuestion) -> String {
    let about = question.field.as_ref().map(|field| format!(", about {}", escape(field)));
    let blocking = if question.blocking { ", blocking" } else { "" };
    let about = about.unwrap_or_default();
    format!("{} of {}{about}{blocking}: {}", question.id, question.by, escape(&question.question))
}

/// A refused signature: `release@1.0  refused by pia, 2 min ago: no tests`.
fn denial_line(gate: &api::Gate, denial: &api::Denial, when: &str) -> String {
    let why = denial.reason.as_ref().map(|reason| format!(": {}", escape(reason)));
    format!("{}  refused by {}, {when}{}", gate.name, denial.by, why.unwrap_or_default())
}

/// A notification that could not be delivered: `offer to pia (event 7), 2 min ago: nobody it is for has a channel`.
fn undelivered_line(untold: &api::NotificationFailure, when: &str) -> String {
    let to = untold.party.as_ref().map(|party| format!(" to {party}")).unwrap_or_default();
    let why = match untold.because.as_str() {
        "no_channel" => "nobody it is for has a channel",
        _ => "every channel of those it is for has failed",
    };
    format!("{}{to} (event {}), {when}: {why}", untold.wait, untold.event)
}

fn card(exchange: &dyn Backend, shown: &HandoffDetails) -> String {
    let (view, times) = (&shown.handoff, exchange.time_formatter());
    let mut text = format!("{}\n", headline(view));
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("{FAINT}{name:<12}{FAINT:#} {value}\n"));
        }
    };
    fact("id", Some(format!("{}@{}", view.id, view.revision)));
    fact("digest", Some(view.digest.clone()));
    fact("contract", view.contract.clone());
    fact("submitted", Some(times.relative(view.submitted_at)));
    fact("claimable", claimable_from(view, times));
    fact("due", view.due_at.map(|due_at| times.relative(due_at)));
    fact(
        "not notified",
        view.notification_failure
            .as_ref()
            .map(|failure| undelivered_line(failure, &times.past(failure.at))),
    );
    fact("parent", view.parent.clone());
    fact("child", view.child.clone());
    for gate in &view.gates {
        fact("gate", Some(gate_progress(gate, exchange.now())));
        let counts = |one: &&api::Denial| one.until.is_none_or(|until| exchange.now() < until);
        for denial in gate.denied.iter().filter(counts) {
            fact("gate", Some(denial_line(gate, denial, &times.past(denial.at))));
        }
    }
    fact("action", view.action.as_ref().map(|action| action.digest.clone()));
    for question in &shown.questions {
        fact("question", Some(question_line(question)));
    }
    if let Some(action) = &shown.action {
        text.push_str(&format!("\n{STRONG}The holder asks leave for{STRONG:#}\n{action:#}\n"));
    }
    if let Some(said) = &shown.claim_statement {
        text.push_str(&returns::claim_section(said, times));
    }
    let packet = Packet::new(shown.packet.as_object().cloned().unwrap_or_default());
    if let Some(returned) = &shown.returned {
        text.push_str(&returns::return_section(returned, &view.id, &packet, times));
    }
    text.push('\n');
    text.push_str(&render::human_brief_from(&packet, &view.from));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_who_was_not_told_and_why() {
        let told = |party: Option<&str>, because: &str| {
            let untold = api::NotificationFailure {
                event: 7,
                wait: "offer".to_owned(),
                party: party.map(str::to_owned),
                because: because.to_owned(),
                at: Timestamp::UNIX_EPOCH,
            };
            undelivered_line(&untold, "2 min ago")
        };
        let texts = [told(Some("pia"), "no_channel"), told(None, "failed")].join("\n");
        insta::assert_snapshot!(texts, @"
        offer to pia (event 7), 2 min ago: nobody it is for has a channel
        offer (event 7), 2 min ago: every channel of those it is for has failed
        ");
    }
}
