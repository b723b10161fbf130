//! An operator redrives or discards a dead letter.

use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::leaf::EventType;

use crate::model::{
    Change, Context, Directory, DocumentKind, Handoff, LoadSet, Reason, Scope, State,
};
use crate::ports::Loaded;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fallback::is_past;
use crate::rules::offer::offer;
use crate::rules::quota::within_quota;
use crate::rules::route::{require_supported_by, route};
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, gate};
use crate::steps::ReasonedStep;
use crate::steps::decision::Attention;

/// Redrives a dead letter.
#[derive(Debug, Clone, Serialize)]
pub struct Redrive {
    /// The handoff.
    pub handoff: HandoffId,
    /// The reason.
    pub reason: Option<String>,
    /// The attention of the operator.
    pub attention: Attention,
}

impl ReasonedStep for Redrive {
    const NAME: &'static str = "redrive";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn load(&self, directory: &Directory, set: &mut LoadSet) {
        set.open_count |= directory.settings.open_handoffs.is_some();
    }

    fn load_further(&self, loaded: &Loaded, set: &mut LoadSet) {
        // A redrive must not create a second live handoff of the task.
        let dead = loaded.handoffs.iter().find(|handoff| handoff.id == self.handoff);
        set.tasks.extend(dead.map(|handoff| handoff.facts.task.clone()));
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        redrive(context, self, reason)
    }
}

/// Discards a dead letter.
#[derive(Debug, Clone, Serialize)]
pub struct Discard {
    /// The handoff.
    pub handoff: HandoffId,
    /// The reason; required.
    pub reason: Option<String>,
    /// The attention of the operator.
    pub attention: Attention,
}

impl ReasonedStep for Discard {
    const NAME: &'static str = "discard";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Admin]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        discard(context, self, reason)
    }
}

/// Decides a redrive: the first receiver again, with all counters at zero.
fn redrive(context: &Context<'_>, request: &Redrive, reason: &Reason) -> Result<Change, Refusal> {
    let decision = DeadLetterDecision {
        handoff: request.handoff,
        kind: EventType::Redriven,
        verb: "redrive",
        attention: &request.attention,
    };
    let (mut handoff, mut change) = dead(context, &decision, reason)?;
    within_quota(context)?;
    let task = &handoff.facts.task;
    if let Some(live) = context.state.live(task) {
        let message = format!("task `{task}` already has a live handoff {}", live.id);
        return Err(Refusal::new(RefusalCode::TaskLive, message)
            .hint("keep that one, or cancel it first")
            .naming(live.id));
    }
    let directory = &context.state.directory;
    let first = handoff.facts.first_receiver;
    require_supported_by(directory, &handoff, first)?;
    gate::on_edge_to(directory, &handoff, first)?;
    route(directory, &mut handoff, first, context.now);
    handoff.progress.rung = 0;
    handoff.progress.taken_over_by = None;
    handoff.progress.has_expired = is_past(handoff.facts.summary.expires_at, context.now);
    offer(directory, &mut handoff, None, context.now, context.actor(), &mut change);
    change.show(handoff.id);
    change.put(handoff);
    Ok(change)
}

/// Decides a discard, which is final.
fn discard(context: &Context<'_>, request: &Discard, reason: &Reason) -> Result<Change, Refusal> {
    reason.required("discard")?;
    let decision = DeadLetterDecision {
        handoff: request.handoff,
        kind: EventType::Discarded,
        verb: "discard",
        attention: &request.attention,
    };
    let (mut handoff, mut change) = dead(context, &decision, reason)?;
    handoff.progress.state = State::Discarded;
    change.show(handoff.id);
    change.put(handoff);
    Ok(change)
}

/// A decision about a dead letter.
struct DeadLetterDecision<'a> {
    handoff: HandoffId,
    kind: EventType,
    verb: &'static str,
    attention: &'a Attention,
}

/// Returns the dead letter, and a change with the record of the decision.
fn dead(
    context: &Context<'_>,
    decision: &DeadLetterDecision<'_>,
    reason: &Reason,
) -> Result<(Handoff, Change), Refusal> {
    authorization::operator(context)?;
    let handoff = context.state.handoff(decision.handoff)?.clone();
    if handoff.progress.state != State::Dead {
        return Err(authorization::wrong_state(&handoff, decision.verb, "dead"));
    }
    let mut change = Change::default();
    let id: DecisionId = context.seed.id("decision", context.now);
    let mut document = json!({ "decision": decision.verb });
    decision.attention.record(&mut document);
    let sealed = reason.sealed(context, document);
    change
        .record_event(decision.kind, handoff.id, context.actor())
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.put_document(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    change.answer.document = Some(id.to_string());
    Ok((handoff, change))
}
