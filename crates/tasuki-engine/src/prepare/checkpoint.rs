//! Prepares a checkpoint of a holder.

use std::sync::Arc;

use tasuki_packet::chain::continuation::{StepKeys, checkpoint_variant};
use tasuki_packet::chain::{ChainTotals, totals};
use tasuki_packet::leaf::Commitment;
use tasuki_packet::policy::trigger::TriggerKind;
use tasuki_packet::{Kind, Packet};

use super::packet::{kind_word, read_sealable};
use super::parties::Receiver;
use super::text;
use crate::model::Sealed;
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::{auto_register, edge_policy};

/// Parses and seals a checkpoint.
pub(crate) fn checkpoint(input: &PrepareInput, source: &[u8]) -> Result<ReadCheckpoint, Refusal> {
    let variant = checkpoint_variant();
    let (mut opened, mut written) = read_sealable(source, Some(&variant))?;
    let is_checkpoint = opened.packet.kind() == Kind::Checkpoint;
    if !is_checkpoint {
        let kind = kind_word(opened.packet.kind());
        let message = format!("expected a packet of type `checkpoint`, found `{kind}`");
        return Err(
            Refusal::new(RefusalCode::PacketKind, message).hint("set `packet_type: checkpoint`")
        );
    }
    let mut notes = Vec::new();
    let settings = &input.directory.settings;
    text::packet_without_secrets(settings, &mut opened, &mut written, &mut notes)?;
    if !opened.violations.is_empty() {
        return Err(text::invalid("checkpoint", opened.violations)
            .hint("locate them with `tasuki validate FILE`"));
    }
    let to = next_party(input, &opened.packet, &mut notes);
    let confidence = opened.packet.number("confidence");
    let trigger = TriggerKind::of(&opened.packet);
    let found = edge_policy::found_in(&input.directory, &opened.packet);
    let cost = totals(&[&opened.packet]).unwrap_or_default();
    let steps = StepKeys::of(&opened.packet);
    let task = opened.packet.text("task_id").map(str::to_owned);
    let salt = input.seed.salt("checkpoint");
    let sealed = Sealed::written(Commitment::Document, written, None, salt);
    Ok(ReadCheckpoint {
        sealed: sealed.into(),
        task,
        to,
        confidence,
        trigger,
        found,
        cost,
        steps,
        notes,
    })
}

/// Returns the party to continue. An unknown name is no refusal, so that no progress is lost.
fn next_party(input: &PrepareInput, packet: &Packet, notes: &mut Vec<String>) -> Option<Receiver> {
    let (name, directory) = (packet.receiver()?, &input.directory);
    match directory.find(name) {
        Ok(party) => Some(Receiver::Cache(party.id)),
        Err(_) if auto_register::can_be_added(directory, input.authentication, name) => {
            Some(Receiver::New(name.to_owned()))
        }
        Err(refusal) => {
            notes.push(format!("ignored the receiver in the checkpoint: {}", refusal.message));
            None
        }
    }
}

/// A validated checkpoint.
#[derive(Debug, Clone)]
pub struct ReadCheckpoint {
    /// The sealed text.
    pub sealed: Arc<Sealed>,
    /// The task that it names.
    pub task: Option<String>,
    /// The party that it names to continue.
    pub to: Option<Receiver>,
    /// The confidence of its author.
    pub confidence: Option<f64>,
    /// The trigger that it states.
    pub trigger: Option<TriggerKind>,
    /// The names of project rules whose words or patterns occur in it.
    pub found: Vec<String>,
    /// Its stated cost.
    pub cost: ChainTotals,
    /// Its steps, unless there are too many to store.
    pub steps: Option<StepKeys>,
    /// Notes for the caller.
    pub notes: Vec<String>,
}
