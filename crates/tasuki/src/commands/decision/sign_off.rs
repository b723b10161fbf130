//! `tasuki sign-off`: signs off a handoff at a gate.
//!
//! The packet and its digest are shown. The person confirms that they opened the evidence, and types
//! their password. The signature covers exactly what was shown; if the packet changes meanwhile, the
//! signature is refused.

use serde_json::Value;
use tasuki_api as api;
use tasuki_engine::steps::SignOff;
use tasuki_packet::{Packet, render};

use crate::backend::{self, parse_id};
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::input::confirm::confirm;
use crate::output::command_result;
use crate::output::escape::escape;
use crate::output::handoff::{name, next_sentence, styled_state};
use crate::output::printer::{Printer, STRONG};

/// Sign off a handoff at a gate.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki sign-off build-42 --as ana --meaning approved_for_clinical_use\n  tasuki sign-off build-42 --gate clinical-release --deny -m \"The dose is wrong\"\n\nShows the packet, lists its evidence, and prompts for your password at the terminal; there is no flag or variable for it. Your answer about the evidence is recorded. The author of a packet cannot sign it."
)]
pub(crate) struct Arguments {
    /// The handoff, by task or id; `@2` binds the signature to revision 2.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The gate, if several are open.
    #[arg(long, value_name = "GATE")]
    gate: Option<String>,
    /// The meaning of the signature, one of those that the gate allows.
    #[arg(long, value_name = "WORD", conflicts_with = "deny")]
    meaning: Option<String>,
    /// Refuse to sign; give the reason with `-m`.
    #[arg(long)]
    deny: bool,
    /// Confirm that you have opened the evidence, without a prompt.
    #[arg(long, value_name = "WHAT", value_parser = [EVIDENCE], conflicts_with = "deny")]
    opened: Vec<String>,
    /// The reason; required with `--deny`.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_caller(&arguments.flags, printer)?;
    exchange.require_can_sign()?;
    let (handoff, mut seen) = exchange.resolve_with_version(&arguments.handoff)?;
    let since = exchange.now();
    let packet = exchange.packet(parse_id(&handoff)?)?;
    show(&packet, &handoff, printer);
    seen.attention.opened = confirm_evidence(arguments, &packet, printer)?;
    let word = if arguments.deny { "Refusing to sign" } else { "Signing" };
    let indent = " ".repeat(word.len());
    printer.show(&format!(
        "\n{word} {STRONG}{}@{}{STRONG:#}\n{indent} {}\n",
        handoff.id, handoff.revision, handoff.digest
    ));
    let request = SignOff {
        handoff: parse_id(&handoff)?,
        gate: arguments.gate.clone(),
        meaning: arguments.meaning.clone(),
        is_denial: arguments.deny,
        seen,
        reason: arguments.message.clone(),
    };
    let answer = exchange.sign_off(request, since)?;
    command_result::print(&answer, printer, |after| {
        let word = if arguments.deny { "Refused to sign" } else { "Signed" };
        format!("{word} {}. {}", name(after), next_sentence(after))
    });
    Ok(Exit::Success)
}

/// The word with which gates name the evidence of a packet.
const EVIDENCE: &str = "evidence";

/// Shows the packet that is signed.
fn show(packet: &Packet, handoff: &api::Handoff, printer: &Printer) {
    let brief = render::brief_text_from(packet, &handoff.from);
    let (name, state) = (name(handoff), styled_state(handoff));
    let edge = format!("{} → {}", handoff.from, handoff.to);
    printer.show(&format!("{STRONG}{name}{STRONG:#}  {edge}  {state}\n\n{brief}"));
}

/// Returns what the person has opened: the packet, which was shown, and the evidence if they confirm it.
fn confirm_evidence(
    arguments: &Arguments,
    packet: &Packet,
    printer: &Printer,
) -> Result<Vec<String>, Failure> {
    let mut opened = vec!["packet".to_owned()];
    let evidence = evidence(packet);
    let is_asked = !arguments.deny && arguments.opened.is_empty() && !evidence.is_empty();
    if is_asked {
        printer.show(&format!("\nEvidence: {}\n", evidence.join(", ")));
    }
    if !arguments.opened.is_empty()
        || is_asked && confirm("Have you opened the evidence?", printer)?
    {
        opened.push(EVIDENCE.to_owned());
    }
    Ok(opened)
}

/// Returns the names of the evidence.
fn evidence(packet: &Packet) -> Vec<String> {
    let lists = ["evidence_refs", "artifacts", "verification"];
    let items = lists.iter().flat_map(|name| packet.list(name));
    items.map(|item| escape(&named(item))).collect()
}

/// Returns the name of an item: its text, or its path, URI or id.
fn named(item: &Value) -> String {
    let names = ["path", "uri", "ref", "id"];
    let named = names.iter().find_map(|name| item.get(name)?.as_str());
    item.as_str().or(named).map_or_else(|| item.to_string(), str::to_owned)
}
