//! A checkpoint that a holder leaves behind.

use serde_json::Value;
use tasuki_packet::continuation::checkpoint_variant;
use tasuki_packet::{Code, Kind, Packet};

use super::background::Background;
use super::packet::read;
use super::text;
use crate::checkpoint::Progress;
use crate::document::Sealed;
use crate::refusal::{Refusal, RefusalCode};

/// Reads and seals a checkpoint.
pub(super) fn checkpoint(background: &Background, source: &[u8]) -> Result<Progress, Refusal> {
    let variant = checkpoint_variant();
    let opened = read(source, Some(&variant))?;
    let is_checkpoint = opened.packet.kind() == Kind::Checkpoint;
    if !is_checkpoint {
        let kind = opened.packet.text("packet_type").unwrap_or("none");
        let message = format!("a checkpoint has `packet_type: checkpoint`, this one has {kind}");
        return Err(
            Refusal::new(RefusalCode::PacketKind, message).hint("add `packet_type: checkpoint`")
        );
    }
    let (secrets, others): (Vec<_>, Vec<_>) =
        opened.violations.into_iter().partition(|found| found.code == Code::SecretFound);
    if !others.is_empty() {
        let message = format!("the checkpoint has {} violations", others.len());
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
    let to = named(background, &opened.packet)?;
    let confidence = value.get("confidence").and_then(Value::as_f64);
    let sealed = Sealed::document(&value, background.draw.salt("checkpoint"));
    Ok(Progress { sealed, to, confidence, notes })
}

/// Whom the checkpoint names to go on.
fn named(
    background: &Background,
    packet: &Packet,
) -> Result<Option<tasuki_packet::id::PartyId>, Refusal> {
    match packet.receiver() {
        Some(name) => background.directory.find(name).map(|party| Some(party.id)),
        None => Ok(None),
    }
}
