//! `tasuki show`: one handoff, its packet and what can be done with it.

use jiff::Timestamp;
use serde_json::Value;
use tasuki_engine::resume::Revision;
use tasuki_engine::view;
use tasuki_packet::{Packet, api, render};

use super::trail;
use crate::exit::{Exit, Failure};
use crate::local::{Exchange, Moment, actions, headline, revision_in};
use crate::printer::{FAINT, Printer, STRONG};
use crate::settings::Flags;

/// Show one handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki show 1a2b3c\n  tasuki show 1a2b3c@1 --packet\n  tasuki show build-42 --json\n  tasuki show build-42 --trail --json > audit.json"
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names a revision.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// Print the packet exactly as it was sent, and nothing else.
    #[arg(long)]
    packet: bool,
    /// Print the audit trail: every leaf of the log about it, with its hash.
    #[arg(long, conflicts_with = "packet")]
    trail: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = Exchange::open(&arguments.flags)?;
    let caller = exchange.operator(printer)?;
    exchange.settle(&caller)?;
    let handoff = exchange.find(&arguments.handoff)?;
    if arguments.trail {
        return trail::run(&exchange, &handoff, printer);
    }
    let revision = revision_in(&arguments.handoff)?.unwrap_or(handoff.facts.revision);
    let reader = exchange.reader(&caller);
    let Revision { packet, sent } = exchange.wait(reader.revision(&handoff, revision))?;
    if arguments.packet {
        printer.data(&String::from_utf8_lossy(&sent));
        return Ok(Exit::Success);
    }
    let action = exchange.wait(reader.action(&handoff))?;
    let directory = exchange.directory()?;
    let view = view::handoff(&directory, &handoff);
    if printer.is_json() {
        let mut shown = serde_json::json!({ "handoff": view, "packet": packet.to_value() });
        if let Some(action) = action {
            shown["action"] = action;
        }
        printer.json(&shown);
    } else {
        printer.data(&card(&exchange, &view, &packet, action.as_ref()));
        printer.remark(&format!("Next: {}", actions(&view).join(" · ")));
    }
    exchange.delivered(&caller, &handoff);
    Ok(Exit::Success)
}

/// A gate and how far it is signed: `release@1.0  safety 1 of 1 (pia), eyes 0 of 2`.
fn signed_so_far(gate: &api::Gate, now: Timestamp) -> String {
    let factor = |factor: &api::Factor| {
        let counts = |one: &&api::Signature| one.until.is_none_or(|until| now < until);
        let by: Vec<&str> = factor.signed.iter().filter(counts).map(|one| &*one.by).collect();
        let names = if by.is_empty() { String::new() } else { format!(" ({})", by.join(", ")) };
        format!("{} {} of {}{names}", factor.name, by.len(), factor.needed)
    };
    let factors: Vec<String> = gate.factors.iter().map(factor).collect();
    format!("{}  {}", gate.name, factors.join(", "))
}

fn card(
    exchange: &Exchange,
    view: &api::Handoff,
    packet: &Packet,
    action: Option<&Value>,
) -> String {
    let moment = Moment::new(exchange.engine.now(), &exchange.settings);
    let mut text = format!("{}\n", headline(view));
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            text.push_str(&format!("{FAINT}{name:<12}{FAINT:#} {value}\n"));
        }
    };
    fact("id", Some(format!("{}@{}", view.id, view.revision)));
    fact("digest", Some(view.digest.clone()));
    fact("contract", view.contract.clone());
    fact("submitted", Some(moment.relative(view.submitted_at)));
    fact("due", view.due_at.map(|due_at| moment.relative(due_at)));
    fact("parent", view.parent.clone());
    fact("child", view.child.clone());
    for gate in &view.gates {
        fact("gate", Some(signed_so_far(gate, exchange.engine.now())));
    }
    fact("action", view.action.as_ref().map(|action| action.digest.clone()));
    fact("questions", (!view.questions.is_empty()).then(|| view.questions.join(", ")));
    if let Some(action) = action {
        text.push_str(&format!("\n{STRONG}The holder asks leave for{STRONG:#}\n{action:#}\n"));
    }
    text.push('\n');
    text.push_str(&render::human_brief_from(packet, &view.from));
    text
}
