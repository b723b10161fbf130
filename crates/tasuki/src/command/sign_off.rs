//! `tasuki sign-off`: a person signs at a gate what they have just read.
//!
//! The packet and its digest are shown, then the person types their password. The signature names
//! exactly what was shown; if somebody changed it meanwhile, it is refused.

use tasuki_engine::command::Command;
use tasuki_engine::decision::SignOff;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::principal::Principal;
use tasuki_engine::view;
use tasuki_packet::leaf::Authentication;
use tasuki_packet::{Packet, render};

use super::{password, step};
use crate::exit::{Exit, Failure};
use crate::local::{Exchange, ago_seconds, headline};
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
    let exchange = Exchange::open(&arguments.flags)?;
    let caller = exchange.caller(printer)?;
    let name = exchange.own_name()?;
    password::can_prove(&exchange, &name)?;
    let (handoff, mut looked) = exchange.look(&arguments.handoff)?;
    let since = exchange.engine.now();
    looked.opened = show(&exchange, &caller, &handoff, printer)?;
    password::prove(&exchange, &name)?;
    looked.seconds = Some(ago_seconds(since, exchange.engine.now()));
    let signer = Principal { authentication: Authentication::Password, ..caller };
    let request = SignOff {
        handoff: handoff.id,
        gate: arguments.gate.clone(),
        meaning: arguments.meaning.clone(),
        is_denial: arguments.deny,
        looked,
        reason: arguments.message.clone(),
    };
    let answer = exchange.run(&signer, Command::SignOff(request), None)?;
    let word = if arguments.deny { "Denied" } else { "Signed" };
    step::print(word, &answer, printer);
    Ok(Exit::Success)
}

/// Shows what is signed, and says what of it was shown.
fn show(
    exchange: &Exchange,
    caller: &Principal,
    handoff: &Handoff,
    printer: &Printer,
) -> Result<Vec<String>, Failure> {
    let revision = handoff.facts.revision;
    let read = exchange.wait(exchange.reader(caller).revision(handoff, revision))?;
    let view = view::handoff(&*exchange.directory()?, handoff);
    let brief = render::human_brief_from(&read.packet, &view.from);
    printer.show(&format!("{}\n\n{brief}", headline(&view)));
    let mut opened = vec!["packet".to_owned()];
    if names_evidence(&read.packet) {
        opened.push("evidence".to_owned());
    }
    printer.show(&format!(
        "\nYou sign {STRONG}{}@{revision}{STRONG:#}\n         {}\n",
        handoff.id, view.digest
    ));
    Ok(opened)
}

/// Whether the brief shows what the packet's claims rest on.
fn names_evidence(packet: &Packet) -> bool {
    ["evidence_refs", "artifacts", "verification"].iter().any(|name| !packet.list(name).is_empty())
}
