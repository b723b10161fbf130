//! `tasuki sign-off`: a person signs at a gate what they have just read.
//!
//! The packet and its digest are shown, the person says whether they have opened what it rests on, and
//! types their password. The signature names exactly what was shown; if somebody changed it meanwhile,
//! it is refused.

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
use crate::output::handoff::headline;
use crate::output::printer::{Printer, STRONG};

/// Sign at a gate: shows the packet, then asks for your password.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki sign-off 1a2b3c --as ana --meaning approved_for_clinical_use\n  tasuki sign-off 1a2b3c --gate clinical-release --deny -m \"The dose is wrong\"\n\nThe password is typed at the terminal; there is no flag and no variable for it. What the packet rests on is named, and you are asked whether you have opened it; only what you say is recorded. Nobody signs what they wrote."
)]
pub(crate) struct Arguments {
    /// The handoff, by id, ending or task; `@2` names the revision that you mean.
    #[arg(value_name = "ID[@REVISION]")]
    handoff: String,
    /// The gate; not needed where only one is open.
    #[arg(long, value_name = "GATE")]
    gate: Option<String>,
    /// What the signature means, in a word that the gate allows.
    #[arg(long, value_name = "WORD", conflicts_with = "deny")]
    meaning: Option<String>,
    /// Refuse to sign; as many as the gate says close it. Say why with `-m`.
    #[arg(long)]
    deny: bool,
    /// Say that you have opened what the packet rests on, so that you are not asked.
    #[arg(long, value_name = "WHAT", value_parser = [EVIDENCE], conflicts_with = "deny")]
    opened: Vec<String>,
    /// Why; required with `--deny`.
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
    seen.opened = confirm_evidence(arguments, &packet, printer)?;
    let word = if arguments.deny { "refuse to sign" } else { "sign" };
    let indent = " ".repeat(word.len() + 5);
    printer.show(&format!(
        "\nYou {word} {STRONG}{}@{}{STRONG:#}\n{indent}{}\n",
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
    let word = if arguments.deny { "Denied" } else { "Signed" };
    command_result::print(word, &answer, printer);
    Ok(Exit::Success)
}

/// What a gate calls the things that a packet rests on.
const EVIDENCE: &str = "evidence";

/// Shows what is signed.
fn show(packet: &Packet, handoff: &api::Handoff, printer: &Printer) {
    let brief = render::human_brief_from(packet, &handoff.from);
    printer.show(&format!("{}\n\n{brief}", headline(handoff)));
}

/// What the person has opened: the packet, which was shown, and by their own word what it rests on.
fn confirm_evidence(
    arguments: &Arguments,
    packet: &Packet,
    printer: &Printer,
) -> Result<Vec<String>, Failure> {
    let mut opened = vec!["packet".to_owned()];
    let evidence = evidence(packet);
    let is_asked = !arguments.deny && arguments.opened.is_empty() && !evidence.is_empty();
    if is_asked {
        printer.show(&format!("\nIt rests on {}\n", evidence.join(", ")));
    }
    if !arguments.opened.is_empty() || is_asked && confirm("Have you opened that?", printer)? {
        opened.push(EVIDENCE.to_owned());
    }
    Ok(opened)
}

/// What the packet's claims rest on, by name.
fn evidence(packet: &Packet) -> Vec<String> {
    let lists = ["evidence_refs", "artifacts", "verification"];
    let items = lists.iter().flat_map(|name| packet.list(name));
    items.map(|item| escape(&named(item))).collect()
}

/// The name of an item: its text, or what says where it is.
fn named(item: &Value) -> String {
    let names = ["path", "uri", "ref", "id"];
    let named = names.iter().find_map(|name| item.get(name)?.as_str());
    item.as_str().or(named).map_or_else(|| item.to_string(), str::to_owned)
}
