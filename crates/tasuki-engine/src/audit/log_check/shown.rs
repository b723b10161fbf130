//! The members that lists and cards show of a handoff, recomputed from its documents and leaves.
//!
//! Leaves commit to the documents, so a forged title, deadline, question or time differs from what
//! is computed here. Names of rules that matched, and a chain's budget, depend on the project at
//! that time and are not computed again.

use jiff::Timestamp;
use serde_json::Value;
use tasuki_packet::Packet;
use tasuki_packet::chain::continuation::StepKeys;
use tasuki_packet::leaf::Leaf;
use tasuki_packet::policy::trigger::TriggerKind;

use crate::model::{Document, DocumentKind, Handoff, PacketSummary, State};
use crate::ports::Stored;

/// The shown members of one handoff, as far as leaves and documents determine them.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    /// The first member that differs from the documents.
    wrong: Option<&'static str>,
    /// The instants that are shown, each of which is the time of a leaf.
    instants: Vec<(&'static str, Timestamp)>,
    /// The beginning of a claim or an offer: the time of a leaf, or of a later step back of the
    /// clock.
    began: Option<Timestamp>,
    /// The times of the leaves.
    times: Vec<Timestamp>,
}

const NO_LEAF: &str = "the stored time of `since` is that of no leaf";

impl Shown {
    pub(super) fn of(handoff: &Handoff, documents: &[Stored]) -> Self {
        let wrong =
            wrong_summary(handoff, documents).or_else(|| wrong_reference(handoff, documents));
        let began = began(handoff);
        Self { wrong, instants: instants(handoff), began, times: Vec::new() }
    }

    /// Carries over the leaves of an earlier load of the same handoff.
    pub(super) fn carry_over(&mut self, before: &Self) {
        self.times.clone_from(&before.times);
    }

    /// Applies a leaf.
    pub(super) fn take(&mut self, leaf: &Leaf) {
        if self.times.last() != Some(&leaf.time) {
            self.times.push(leaf.time);
        }
    }

    /// Describes the first difference after the last leaf.
    pub(super) fn difference(&self) -> Option<String> {
        if let Some(what) = self.wrong {
            return Some(format!("the stored {what} differs from the documents of the handoff"));
        }
        let is_unknown = |(_, at): &&(&str, Timestamp)| !self.times.contains(at);
        let unknown = self.instants.iter().find(is_unknown);
        unknown.map(|(what, _)| format!("the stored time of `{what}` is that of no leaf"))
    }

    /// Returns the beginning of a claim or an offer that is not the time of a leaf, with the problem
    /// that it is, unless the clock was set back to it after the last leaf.
    pub(super) fn moved(&self) -> Option<(Timestamp, &'static str)> {
        let began = self.began.filter(|began| !self.times.contains(began));
        began.map(|began| (began, NO_LEAF))
    }
}

/// Returns the first member of the summary that differs from the current packet.
fn wrong_summary(handoff: &Handoff, documents: &[Stored]) -> Option<&'static str> {
    let facts = &handoff.facts;
    let revision = facts.revision.to_string();
    let packet = of_kind(documents, DocumentKind::Packet).find(|one| one.id == revision)?;
    let sealed = &packet.sealed;
    let Ok(Value::Object(members)) = serde_json::from_str(&sealed.body) else { return None };
    let (bytes, packet) = (sealed.body.len() as u64, Packet::new(members));
    let expected = PacketSummary::of(&packet, sealed.digest.clone(), sealed.commitment, bytes);
    let stored = &facts.summary;
    match () {
        () if stored.title != expected.title => Some("title"),
        () if stored.digest != expected.digest => Some("digest"),
        () if stored.bytes != expected.bytes => Some("size"),
        () if stored.confidence != expected.confidence => Some("confidence"),
        () if stored.trigger != expected.trigger && !is_by_rule(stored) => Some("trigger"),
        () if stored.can_intercept != expected.can_intercept => Some("`can_intercept`"),
        () if stored.classification != expected.classification => Some("classification"),
        () if stored.regulations != expected.regulations => Some("regulations"),
        () if stored.expires_at != expected.expires_at => Some("deadline"),
        () if stored.fallback != expected.fallback => Some("fallback"),
        () if stored.asks_return != expected.asks_return => Some("`return_required`"),
        () if stored.cost != expected.cost => Some("cost"),
        () if stored.budget != expected.budget => Some("budget"),
        () if stored.gates != expected.gates => Some("gates"),
        () if stored.trace != expected.trace => Some("trace"),
        () if stored.steps != expected.steps => Some("steps"),
        () if !is_within(stored.authority.as_deref(), expected.authority.as_deref()) => {
            Some("authority")
        }
        () if packet.text("task_id").is_some_and(|task| !facts.is_task(task)) => Some("task"),
        () => None,
    }
}

/// Returns `true` if the trigger may come from a rule of the project instead of the packet.
fn is_by_rule(stored: &PacketSummary) -> bool {
    stored.trigger_kind() == Some(TriggerKind::SensitiveTopic)
}

/// Returns `true` if the stored authority is not wider than the stated one. It may be narrower: a
/// chain and its parties limit it.
fn is_within(stored: Option<&[String]>, stated: Option<&[String]>) -> bool {
    let Some(stated) = stated else { return true };
    stored.is_some_and(|stored| stored.iter().all(|action| stated.contains(action)))
}

/// Returns the first reference of the progress to a document that does not exist.
fn wrong_reference(handoff: &Handoff, documents: &[Stored]) -> Option<&'static str> {
    let progress = &handoff.progress;
    let has = |kind, id: String| of_kind(documents, kind).any(|document| document.id == id);
    let last = of_kind(documents, DocumentKind::Checkpoint).last().map(|last| last.id.clone());
    let is_asked = progress
        .questions
        .iter()
        .all(|question| has(DocumentKind::Question, question.id.to_string()));
    if progress.checkpoint.as_ref().map(|one| one.id.to_string()) != last {
        return Some("checkpoint");
    }
    if progress.checkpoint.as_ref().is_some_and(|one| one.steps != steps(documents)) {
        return Some("progress");
    }
    if !is_asked {
        return Some("question");
    }
    if let State::Returned(returned) = &progress.state
        && !has(DocumentKind::Return, returned.return_packet.to_string())
    {
        return Some("return packet");
    }
    None
}

/// Returns the steps that all checkpoints together state.
fn steps(documents: &[Stored]) -> Option<StepKeys> {
    let mut checkpoints = of_kind(documents, DocumentKind::Checkpoint).map(|document| {
        let members = serde_json::from_str(&document.sealed.body).ok()?;
        StepKeys::of(&Packet::new(members))
    });
    let first = checkpoints.next()??;
    checkpoints.try_fold(first, |steps, next| steps.then(&next?))
}

fn of_kind(documents: &[Stored], kind: DocumentKind) -> impl Iterator<Item = &Document> {
    documents.iter().map(|stored| &stored.document).filter(move |document| document.kind == kind)
}

/// Returns the beginning of a claim or an offer.
fn began(handoff: &Handoff) -> Option<Timestamp> {
    match &handoff.progress.state {
        State::Offered(offer) => Some(offer.since),
        State::Claimed(claim) => Some(claim.since),
        State::Held(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => None,
    }
}

/// Lists the instants that a card shows and that a leaf has.
fn instants(handoff: &Handoff) -> Vec<(&'static str, Timestamp)> {
    let progress = &handoff.progress;
    let since = match &progress.state {
        State::Held(hold) => Some(hold.since),
        State::Returned(returned) => Some(returned.since),
        State::Offered(_)
        | State::Claimed(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => None,
    };
    let all = [
        ("submitted", Some(handoff.facts.submitted_at)),
        ("delivered", progress.delivered_at),
        ("started", progress.started_at),
        ("since", since),
    ];
    all.into_iter().filter_map(|(what, at)| Some((what, at?))).collect()
}
