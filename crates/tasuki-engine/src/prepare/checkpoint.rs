//! A checkpoint that a holder leaves behind.

use std::sync::Arc;

use tasuki_packet::chain::continuation::checkpoint_variant;
use tasuki_packet::chain::{ChainTotals, totals};
use tasuki_packet::leaf::Commitment;
use tasuki_packet::policy::trigger::TriggerKind;
use tasuki_packet::{Kind, Packet};

use super::packet::{kind_word, read_to_keep};
use super::parties::Receiver;
use super::text;
use crate::model::Sealed;
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::{auto_register, edge_policy};

/// Reads and seals a checkpoint.
pub(crate) fn checkpoint(input: &PrepareInput, source: &[u8]) -> Result<ReadCheckpoint, Refusal> {
    let variant = checkpoint_variant();
    let (mut opened, mut written) = read_to_keep(source, Some(&variant))?;
    let is_checkpoint = opened.packet.kind() == Kind::Checkpoint;
    if !is_checkpoint {
        let kind = kind_word(opened.packet.kind());
        let message = format!("a packet of type `{kind}` is no checkpoint");
        return Err(
            Refusal::new(RefusalCode::PacketKind, message).hint("add `packet_type: checkpoint`")
        );
    }
    let mut notes = Vec::new();
    let settings = &input.directory.settings;
    text::packet_without_secrets(settings, &mut opened, &mut written, &mut notes)?;
    if !opened.violations.is_empty() {
        return Err(text::invalid("checkpoint", opened.violations)
            .hint("`tasuki validate` shows them in the file"));
    }
    let to = named(input, &opened.packet, &mut notes);
    let confidence = opened.packet.number("confidence");
    let trigger = TriggerKind::of(&opened.packet);
    let found = edge_policy::found_in(&input.directory, &opened.packet);
    let cost = totals(&[&opened.packet]).unwrap_or_default();
    let task = opened.packet.text("task_id").map(str::to_owned);
    let salt = input.seed.salt("checkpoint");
    let sealed = Sealed::written(Commitment::Document, written, None, salt);
    Ok(ReadCheckpoint { sealed: sealed.into(), task, to, confidence, trigger, found, cost, notes })
}

/// Whom the checkpoint names to go on. Progress is never refused for a name that nobody has.
fn named(input: &PrepareInput, packet: &Packet, notes: &mut Vec<String>) -> Option<Receiver> {
    let (name, directory) = (packet.receiver()?, &input.directory);
    match directory.find(name) {
        Ok(party) => Some(Receiver::Cache(party.id)),
        Err(_) if auto_register::can_be_added(directory, input.authentication, name) => {
            Some(Receiver::New(name.to_owned()))
        }
        Err(refusal) => {
            notes.push(format!("whoever holds the work goes on: {}", refusal.message));
            None
        }
    }
}

/// A checkpoint that was read.
#[derive(Debug, Clone)]
pub struct ReadCheckpoint {
    /// Its text.
    pub sealed: Arc<Sealed>,
    /// The task that it names.
    pub task: Option<String>,
    /// Whom it names to go on.
    pub to: Option<Receiver>,
    /// How certain its author is.
    pub confidence: Option<f64>,
    /// Why the work stands where it does.
    pub trigger: Option<TriggerKind>,
    /// Rules of the project whose words or patterns are in it, by name.
    pub found: Vec<String>,
    /// What the work has cost here by its word.
    pub cost: ChainTotals,
    /// What the caller should know.
    pub notes: Vec<String>,
}
