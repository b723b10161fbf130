//! `tasuki show`: prints one handoff with its packet, its claim and its return.

use jiff::Timestamp;
use serde_json::Value;
use tasuki_api as api;
use tasuki_api::HandoffDetails;
use tasuki_packet::{Packet, render};

use super::{returns, trail};
use crate::backend::{self, Backend};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::handoff_ref::parse_revision;
use crate::output::decision::decision_line;
use crate::output::escape::{escape, excerpt};
use crate::output::handoff::{claimable_from, goal, name, short_id, styled_state};
use crate::output::next_steps::commands_for;
use crate::output::printer::{FAINT, Printer, STRONG};
use crate::output::progress::{checkpoint_section, done_lines, left_lines};

/// Show a handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki show build-42\n  tasuki show build-42@1 --packet\n  tasuki show build-42 --return > return.json\n  tasuki show build-42 --json\n  tasuki show build-42 --trail --json > audit.json"
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` names a revision.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// Print only the packet, exactly as it was sent.
    #[arg(long)]
    packet: bool,
    /// Print only the last return packet, as JSON; for work that was passed on, that of the last holder.
    #[arg(long = "return", conflicts_with = "packet")]
    returned: bool,
    /// Print the audit trail: every log entry of the handoff, with its hash.
    #[arg(long, conflicts_with_all = ["packet", "returned"])]
    trail: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_to_read(&arguments.flags, printer)?;
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
        if let Some(note) = exchange.unprotected()?.filter(|_| shown.handoff.state == "held") {
            printer.remark(note);
        }
        if !next.is_empty() {
            printer.remark(&format!("Next: {}", next.join(" · ")));
        }
    }
    Ok(Exit::Success)
}

/// Formats the progress of a gate: `release@1.0: safety 1 of 1 (pia), eyes 0 of 2`.
fn gate_progress(gate: &api::Gate, now: Timestamp) -> String {
    let factor = |factor: &api::Factor| {
        let counts = |one: &&api::Signature| one.until.is_none_or(|until| now < until);
        let by: Vec<String> = factor.signed.iter().filter(counts).map(signer).collect();
        let names = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
        let left: Vec<&str> = factor.left.iter().map(|one| &*one.by).collect();
        let left = if left.is_empty() {
            String::new()
        } else {
            format!(", not counting {} (left the role)", left.join(", "))
        };
        format!("{} {} of {}{names}{left}", factor.name, by.len(), factor.needed)
    };
    let factors: Vec<String> = gate.factors.iter().map(factor).collect();
    format!("{}: {}", gate.name, factors.join(", "))
}

/// Formats a signer, with a mark if membership began after the submit.
fn signer(signature: &api::Signature) -> String {
    let mark = if signature.joined_after_submit { ", joined after submit" } else { "" };
    format!("{}{mark}", signature.by)
}

/// Formats an open question: `ben asks about acceptance (blocking): Which browsers?`.
fn question_line(question: &api::OpenQuestion) -> String {
    let about = question.field.as_ref().map(|field| format!(" about {}", escape(field)));
    let blocking = if question.blocking { " (blocking)" } else { "" };
    let about = about.unwrap_or_default();
    format!("{} asks{about}{blocking}: {}", question.by, escape(&question.question))
}

/// Formats a refused signature: `release@1.0: pia refused to sign, 2 min ago: no tests`.
fn denial_line(gate: &api::Gate, denial: &api::Denial, when: &str) -> String {
    let why = denial.reason.as_ref().map(|reason| format!(": {}", escape(reason)));
    format!("{}: {} refused to sign, {when}{}", gate.name, denial.by, why.unwrap_or_default())
}

/// Formats a failed notification: `offer to pia, 2 min ago: no recipient has a channel`.
fn undelivered_line(failure: &api::NotificationFailure, when: &str) -> String {
    let to = failure.party.as_ref().map(|party| format!(" to {party}")).unwrap_or_default();
    let why = match failure.because.as_str() {
        "no_channel" => "no recipient has a channel",
        _ => "every channel failed",
    };
    format!("{}{to}, {when}: {why}", failure.wait)
}

/// Formats the card of a handoff.
pub(crate) fn card(exchange: &dyn Backend, shown: &HandoffDetails) -> String {
    let (view, times) = (&shown.handoff, exchange.time_formatter());
    let mut text =
        format!("{STRONG}{}{STRONG:#} · {}  {}\n", name(view), goal(view), styled_state(view));
    if let Some(action) = &shown.action {
        let holder = view.holder.as_deref().unwrap_or(&view.to);
        text.push_str(&format!("{holder} asks to run exactly this:\n\n{}\n", indented(action)));
    }
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("{FAINT}{name:<12}{FAINT:#} {value}\n"));
        }
    };
    for cause in &view.causes {
        let text = cause.text.strip_prefix("held by ").unwrap_or(&cause.text);
        fact("Held by", Some(excerpt(text)));
    }
    for decision in &shown.decisions {
        fact("Decision", Some(decision_line(decision, &times.past(decision.at))));
    }
    fact("From", Some(format!("{} → {}", view.from, view.to)));
    fact("Risk", Some(view.risk.clone()));
    if let Some(progress) = &shown.progress {
        let lists = [
            ("Done", done_lines(progress, times)),
            ("Left", left_lines(progress)),
            ("Signed off", progress.signed_off.iter().map(|text| excerpt(text)).collect()),
        ];
        for (name, lines) in lists {
            for (at, line) in lines.into_iter().enumerate() {
                fact(if at == 0 { name } else { "" }, Some(line));
            }
        }
    }
    fact("Last sign", view.alive_at.map(|at| times.clock(at)));
    fact("Contract", view.contract.clone());
    fact("Submitted", Some(times.clock(view.submitted_at)));
    fact("Claimable", claimable_from(view, times));
    fact("Due", view.due_at.map(|due_at| times.deadline(due_at)));
    fact(
        "Not notified",
        view.notification_failure
            .as_ref()
            .map(|failure| undelivered_line(failure, &times.past(failure.at))),
    );
    fact("Parent", view.parent.as_deref().map(short_id));
    fact("Child", view.child.as_deref().map(short_id));
    for gate in &view.gates {
        fact("Gate", Some(gate_progress(gate, exchange.now())));
        let counts = |one: &&api::Denial| one.until.is_none_or(|until| exchange.now() < until);
        for denial in gate.denied.iter().filter(counts) {
            fact("Gate", Some(denial_line(gate, denial, &times.past(denial.at))));
        }
    }
    for question in &shown.questions {
        fact("Question", Some(question_line(question)));
    }
    fact("Id", Some(format!("{}@{}", view.id, view.revision)));
    if let Some(progress) = &shown.progress {
        text.push_str(&checkpoint_section(progress, view.checkpoints, times));
    }
    if let Some(claim) = &shown.claim_statement {
        text.push_str(&returns::claim_section(claim, times));
    }
    let packet = Packet::new(shown.packet.as_object().cloned().unwrap_or_default());
    if let Some(returned) = &shown.returned {
        text.push_str(&returns::return_section(returned, &view.id, &packet, times));
    }
    text.push('\n');
    text.push_str(&render::brief_text_from(&without_steps(packet, shown), &view.from));
    text
}

/// Returns a packet without the steps, which the card has shown as they are now.
fn without_steps(packet: Packet, shown: &HandoffDetails) -> Packet {
    let mut members = packet.into_members();
    if shown.progress.is_some() {
        members.shift_remove("completed");
        members.shift_remove("remaining");
    }
    Packet::new(members)
}

/// Formats an action, indented: its words if it is a sentence or a command, else its JSON.
fn indented(action: &Value) -> String {
    let text = match action.as_object().filter(|members| members.len() == 1) {
        Some(members) => members.get("action").and_then(Value::as_str).map(escape),
        None => None,
    };
    let text = text.unwrap_or_else(|| format!("{action:#}"));
    text.lines().flat_map(|line| ["    ", line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_names_a_failed_notification_and_its_cause() {
        let line = |party: Option<&str>, because: &str| {
            let failure = api::NotificationFailure {
                event: 7,
                wait: "offer".to_owned(),
                party: party.map(str::to_owned),
                because: because.to_owned(),
                at: Timestamp::UNIX_EPOCH,
            };
            undelivered_line(&failure, "2 min ago")
        };
        let texts = [line(Some("pia"), "no_channel"), line(None, "failed")].join("\n");
        insta::assert_snapshot!(texts, @"
        offer to pia, 2 min ago: no recipient has a channel
        offer, 2 min ago: every channel failed
        ");
    }
}
