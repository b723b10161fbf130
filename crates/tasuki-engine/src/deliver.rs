//! The receiver has seen it: its first read, or an acknowledged delivery.

use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use crate::authority;
use crate::change::Change;
use crate::context::Context;
use crate::handoff::State;
use crate::refusal::Refusal;

/// A handoff that its receiver has seen.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The handoff.
    pub handoff: HandoffId,
    /// Whether it was delivered rather than read.
    pub is_delivery: bool,
}

/// Decides a delivery. The second one, and one that comes too late to matter, changes nothing.
pub fn decide(context: &Context<'_>, request: &Request) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    authority::receiver(context, handoff)?;
    let mut change = Change::default();
    let is_offered = matches!(handoff.progress.state, State::Offered(_));
    if !is_offered || handoff.progress.delivered_at.is_some() {
        change.answer.repeated = true;
        return Ok(change);
    }
    let by = if request.is_delivery { "delivery" } else { "read" };
    change.happened(EventType::Delivered, handoff.id, context.actor()).with("by", by);
    let mut after = handoff.clone();
    after.progress.delivered_at = Some(context.now);
    change.put(after);
    Ok(change)
}
