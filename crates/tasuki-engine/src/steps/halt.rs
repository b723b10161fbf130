//! An operator halts a project, and lifts the halt.

use serde::Serialize;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use crate::model::reason::commitment_to_halt;
use crate::model::{
    Change, Context, Directory, Event, HaltChange, Handoff, Head, LoadSet, Reason, Record, Scope,
};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::offer::offer;
use crate::rules::route::keep_with_people;
use crate::rules::scopes::RequiredScopes;
use crate::steps::ReasonedStep;

/// Halts a project, or lifts the halt.
#[derive(Debug, Clone, Serialize)]
pub struct Halt {
    /// `true` to lift the halt.
    pub is_lift: bool,
    /// The reason; required to lift.
    pub reason: Option<String>,
}

impl ReasonedStep for Halt {
    const NAME: &'static str = "halt";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);

    fn handoff(&self) -> Option<HandoffId> {
        None
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn load(&self, _directory: &Directory, set: &mut LoadSet) {
        if self.is_lift {
            set.claims_before_epoch = Some(u64::MAX);
        }
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        halt(context, self, reason)
    }
}

/// Decides a halt or its end. A halt is one leaf that raises the claim epoch, so its cost does not
/// depend on the number of claims. Lifting it offers claimed work again without using an attempt.
/// Offers and holds have as much time left as when the halt began.
fn halt(context: &Context<'_>, request: &Halt, reason: &Reason) -> Result<Change, Refusal> {
    authorization::operator(context)?;
    let head = &context.state.head;
    let pauses = &context.state.directory.pauses;
    let mut change = Change::default();
    if !request.is_lift {
        if head.is_halted {
            return Err(Refusal::new(RefusalCode::ProjectHalted, "the project is already halted")
                .hint("lift the halt with `tasuki halt --lift -m …`"));
        }
        let event = change.record_project_event(EventType::ProjectHalted, context.actor());
        describe_halt(event, head, head.claim_epoch + 1, reason);
        change.halt = Some(HaltChange::Begin);
        change.records.push(Record::Pauses(pauses.halted(context.now)));
        return Ok(change);
    }
    if !head.is_halted {
        return Err(Refusal::new(RefusalCode::ProjectRunning, "the project is not halted")
            .hint("nothing to do"));
    }
    reason.required("lift a halt")?;
    let event = change.record_project_event(EventType::ProjectLifted, context.actor());
    describe_halt(event, head, head.claim_epoch, reason);
    change.halt = Some(HaltChange::Lift);
    change.records.push(Record::Pauses(pauses.lifted(context.now)));
    let mut ended: Vec<&Handoff> =
        context.state.handoffs().filter(|h| is_ended(context, h)).collect();
    ended.sort_by_key(|handoff| handoff.id);
    for handoff in ended {
        offer_again(context, handoff, &mut change);
    }
    Ok(change)
}

pub(crate) fn describe_halt(event: &mut Event, head: &Head, epoch: u64, reason: &Reason) {
    event.with("epoch", epoch).because(reason.text.as_deref());
    if let Some(text) = &reason.text {
        event.with("reason", commitment_to_halt(head, epoch, text));
    }
}

/// Returns `true` if a halt has ended the claim of this handoff, including one that waits for an
/// approval. A parent keeps waiting for its child.
pub(crate) fn is_ended(context: &Context<'_>, handoff: &Handoff) -> bool {
    let epoch = context.state.head.claim_epoch;
    handoff.progress.child.is_none() && handoff.claim().is_some_and(|claim| claim.epoch < epoch)
}

pub(crate) fn offer_again(context: &Context<'_>, handoff: &Handoff, change: &mut Change) {
    let Some(claim) = handoff.claim() else { return };
    let mut after = handoff.clone();
    after.progress.progress_at = context.now;
    change
        .record_event(EventType::Released, handoff.id, context.actor())
        .with("fence", claim.fence);
    let directory = &context.state.directory;
    keep_with_people(directory, &mut after, claim, context.now);
    offer(directory, &mut after, None, context.now, context.actor(), change);
    change.put(after);
}
