//! A holder leaves progress behind, so that whoever comes next starts there.
//!
//! A checkpoint is progress: it renews the lease and answers the deadline. While the project is
//! halted the former holder may still leave a last one, which renews nothing.

use tasuki_packet::id::{CheckpointId, PartyId};
use tasuki_packet::leaf::EventType;

use crate::authority::{self, Shown};
use crate::change::Change;
use crate::claim::renewed;
use crate::context::Context;
use crate::document::{DocumentKind, Sealed};
use crate::handoff::{Mark, State};
use crate::refusal::Refusal;
use crate::view;

/// Progress to be left behind.
#[derive(Debug, Clone)]
pub struct Request {
    /// The claim.
    pub shown: Shown,
    /// The checkpoint packet in any form.
    pub source: Vec<u8>,
}

/// A checkpoint that was read.
#[derive(Debug, Clone)]
pub struct Progress {
    /// Its text.
    pub sealed: Sealed,
    /// Whom it names to go on.
    pub to: Option<PartyId>,
    /// How certain its author is.
    pub confidence: Option<f64>,
    /// What the caller should know.
    pub notes: Vec<String>,
}

/// Decides a checkpoint.
pub fn decide(
    context: &Context<'_>,
    request: &Request,
    progress: &Progress,
) -> Result<Change, Refusal> {
    let (handoff, claim) = authority::holder_even_if_halted(context, request.shown)?;
    let is_over = claim.epoch < context.state.head.claim_epoch;
    let claim = if is_over { claim.clone() } else { renewed(context, claim, claim.lease) };
    let mut handoff = handoff.clone();
    let id: CheckpointId = context.draw.id("checkpoint", context.now);
    let count = handoff.progress.checkpoint.as_ref().map_or(0, |mark| mark.count) + 1;
    let mut change = Change::default();
    change
        .happened(EventType::Checkpointed, handoff.id, context.actor())
        .with("checkpoint", id)
        .with("token", claim.token)
        .bringing(progress.sealed.commitment);
    if handoff.progress.started_at.is_none() {
        handoff.progress.started_at = Some(context.now);
        change.happened(EventType::Started, handoff.id, context.actor());
    }
    let (to, confidence) = (progress.to, progress.confidence);
    handoff.progress.checkpoint = Some(Mark { id, count, to, confidence });
    handoff.progress.progress_at = context.now;
    handoff.progress.state = State::Claimed(claim.clone());
    change.keep(handoff.id, DocumentKind::Checkpoint, id.to_string(), progress.sealed.clone());
    let directory = &context.state.directory;
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(directory, &handoff));
    change.answer.claim = Some(view::claim(directory, &handoff, &claim));
    change.answer.notes.clone_from(&progress.notes);
    change.put(handoff);
    Ok(change)
}
