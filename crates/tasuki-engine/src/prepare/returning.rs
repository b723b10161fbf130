//! A return packet, judged against the packet it answers and the contract both are under.

use tasuki_packet::contract::{Identity, Schemas};
use tasuki_packet::verify::judge;
use tasuki_packet::{Code, Kind, Violation};

use super::background::Background;
use super::packet::read;
use super::text;
use crate::document::Sealed;
use crate::refusal::{Refusal, RefusalCode};
use crate::return_packet::Returning;

/// Reads, judges and seals a return packet.
pub(super) fn returning(background: &Background, source: &[u8]) -> Result<Returning, Refusal> {
    let opened = read(source, None)?;
    if opened.packet.kind() != Kind::Return {
        let kind = opened.packet.text("packet_type").unwrap_or("none");
        let message = format!("a return has `packet_type: return`, this one has {kind}");
        return Err(
            Refusal::new(RefusalCode::PacketKind, message).hint("add `packet_type: return`")
        );
    }
    let (Some(handoff), Some(asked)) = (&background.handoff, background.packet()) else {
        return Err(Refusal::new(RefusalCode::HandoffUnknown, "there is no such handoff"));
    };
    let (secrets, others): (Vec<_>, Vec<_>) =
        opened.violations.into_iter().partition(|found| found.code == Code::SecretFound);
    if !others.is_empty() {
        let message = format!("the return packet has {} violations", others.len());
        return Err(Refusal::new(RefusalCode::PacketInvalid, message).with(others));
    }
    let settings = &background.directory.settings;
    let mut value = opened.packet.to_value();
    let mut notes = Vec::new();
    if !secrets.is_empty() {
        if !settings.redacts_secrets {
            return Err(text::secret(secrets));
        }
        text::without_secrets(&mut value, settings)?;
        notes.push(format!("{} secrets were cut out", secrets.len()));
    }
    let identity = handoff.facts.terms.contract.as_deref().and_then(|text| text.parse().ok());
    let published =
        identity.and_then(|identity: Identity| background.directory.contract(&identity).cloned());
    let schemas: &dyn Schemas = match &published {
        Some(published) => &published.record.schemas,
        None => &(),
    };
    let verdict = judge(asked, &opened.packet, schemas);
    let mut missing: Vec<Violation> =
        verdict.missing.iter().filter(|found| is_owed(found.code)).cloned().collect();
    if let Some(published) = &published {
        let broken = published.compiled.check(&opened.packet);
        missing
            .extend(broken.into_iter().filter(|found| !missing_already(&verdict.missing, found)));
    }
    notes.extend(verdict.notes.iter().cloned());
    let sealed = Sealed::document(&value, background.draw.salt("return"));
    Ok(Returning {
        sealed,
        revision: handoff.facts.revision,
        is_good: verdict.done && missing.is_empty(),
        missing,
        verdict: serde_json::to_value(&verdict).unwrap_or_default(),
        notes,
    })
}

/// What is missing keeps a return from being taken; what failed is for whoever judges it.
fn is_owed(code: Code) -> bool {
    matches!(code, Code::ReturnMissing | Code::ReturnTask)
}

fn missing_already(known: &[Violation], found: &Violation) -> bool {
    known.iter().any(|one| one.code == found.code && one.pointer == found.pointer)
}
