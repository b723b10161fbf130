//! `tasuki sign-off`: a person signs at a gate what they have just read.
//!
//! The packet and its digest are shown, then the person types their password. The signature names
//! exactly what was shown; if somebody changed it meanwhile, it is refused.

use tasuki_engine::decision::SignOff;
use tasuki_packet::{Packet, api, render};

use super::step;
use crate::door::{self, Door, id_of};
use crate::exit::{Exit, Failure};
use crate::local::headline;
use crate::printer::{Printer, STRONG};
use crate::settings::Flags;

/// Sign at a gate: shows the packet, then asks for your password.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki sign-off 1a2b3c --as ana --meaning approved_for_clinical_use\n  tasuki sign-off 1a2b3c --gate clinical-release --deny -m \"The dose is wrong\"\n\nThe password is typed at the terminal; there is no flag and no variable for it. Nobody signs what they\nwrote."
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
    /// Refuse to sign, which closes the gate; say why with `-m`.
    #[arg(long)]
    deny: bool,
    /// Why; required with `--deny`.
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = door::caller(&arguments.flags, printer)?;
    exchange.can_sign()?;
    let (handoff, mut looked) = exchange.look(&arguments.handoff)?;
    let since = exchange.now();
    looked.opened = show(&*exchange, &handoff, printer)?;
    let request = SignOff {
        handoff: id_of(&handoff)?,
        gate: arguments.gate.clone(),
        meaning: arguments.meaning.clone(),
        is_denial: arguments.deny,
        looked,
        reason: arguments.message.clone(),
    };
    let answer = exchange.sign_off(request, since)?;
    let word = if arguments.deny { "Denied" } else { "Signed" };
    step::print(word, &answer, printer);
    Ok(Exit::Success)
}

/// Shows what is signed, and says what of it was shown.
fn show(
    exchange: &dyn Door,
    handoff: &api::Handoff,
    printer: &Printer,
) -> Result<Vec<String>, Failure> {
    let packet = exchange.packet(id_of(handoff)?)?;
    let brief = render::human_brief_from(&packet, &handoff.from);
    printer.show(&format!("{}\n\n{brief}", headline(handoff)));
    let mut opened = vec!["packet".to_owned()];
    if names_evidence(&packet) {
        opened.push("evidence".to_owned());
    }
    printer.show(&format!(
        "\nYou sign {STRONG}{}@{}{STRONG:#}\n         {}\n",
        handoff.id, handoff.revision, handoff.digest
    ));
    Ok(opened)
}

/// Whether the brief shows what the packet's claims rest on.
fn names_evidence(packet: &Packet) -> bool {
    ["evidence_refs", "artifacts", "verification"].iter().any(|name| !packet.list(name).is_empty())
}
