//! `tasuki show`: one handoff, its packet and what can be done with it.

use tasuki_engine::command::Command;
use tasuki_engine::deliver;
use tasuki_engine::document::DocumentKind;
use tasuki_engine::engine::read_packet;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::principal::Principal;
use tasuki_engine::store::Store as _;
use tasuki_engine::view;
use tasuki_packet::{Packet, api, render};

use crate::exit::{Exit, Failure};
use crate::local::{Exchange, Moment, actions, headline};
use crate::printer::{FAINT, Printer};
use crate::settings::Flags;

/// Show one handoff.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki show 1a2b3c\n  tasuki show 1a2b3c@1 --packet\n  tasuki show build-42 --json"
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names a revision.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// Print the packet exactly as it was sent, and nothing else.
    #[arg(long)]
    packet: bool,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = Exchange::open(&arguments.flags)?;
    let caller = exchange.operator(printer)?;
    exchange.settle(&caller)?;
    let handoff = exchange.find(&arguments.handoff)?;
    let revision = revision(&arguments.handoff, &handoff)?;
    let (packet, sent) = packet_of(&exchange, &handoff, revision)?;
    if arguments.packet {
        printer.data(&sent);
        return Ok(Exit::Success);
    }
    let directory = exchange.directory()?;
    let view = view::handoff(&directory, &handoff);
    if printer.is_json() {
        printer.json(&serde_json::json!({ "handoff": view, "packet": packet.to_value() }));
    } else {
        printer.data(&card(&exchange, &view, &packet));
        printer.remark(&format!("Next: {}", actions(&view).join(" · ")));
    }
    delivered(&exchange, &caller, &handoff);
    Ok(Exit::Success)
}

/// The receiver has seen it. This is posted afterwards and its failure is nobody's: reading must
/// not fail because the writer is away.
fn delivered(exchange: &Exchange, caller: &Principal, handoff: &Handoff) {
    if handoff.progress.delivered_at.is_none() {
        let request = deliver::Request { handoff: handoff.id, is_delivery: false };
        drop(exchange.try_run(caller, Command::Deliver(request), None));
    }
}

fn card(exchange: &Exchange, view: &api::Handoff, packet: &Packet) -> String {
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
    fact("questions", (!view.questions.is_empty()).then(|| view.questions.join(", ")));
    text.push('\n');
    text.push_str(&render::human_brief(packet));
    text
}

fn revision(written: &str, handoff: &Handoff) -> Result<u32, Failure> {
    let Some((_, revision)) = written.split_once('@') else { return Ok(handoff.facts.revision) };
    let number =
        revision.parse().ok().filter(|number| (1..=handoff.facts.revision).contains(number));
    number.ok_or_else(|| {
        Failure::usage(format!("there is no revision `{revision}`"))
            .hint(format!("the handoff has revisions 1 to {}", handoff.facts.revision))
    })
}

/// A revision as a packet, and exactly as it was sent.
fn packet_of(
    exchange: &Exchange,
    handoff: &Handoff,
    revision: u32,
) -> Result<(Packet, String), Failure> {
    let kind = Some(DocumentKind::Packet);
    let stored = exchange.read(exchange.store.documents(exchange.project, handoff.id, kind))?;
    let wanted = revision.to_string();
    let stored = stored.into_iter().find(|stored| stored.document.id == wanted);
    let stored =
        stored.ok_or_else(|| Failure::usage(format!("revision {revision} is not stored")))?;
    let packet = read_packet(&stored).map_err(|fault| Failure::usage(fault.message))?;
    let sealed = &stored.document.sealed;
    let sent = sealed.source.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    Ok((packet, sent.unwrap_or_else(|| sealed.body.clone())))
}
