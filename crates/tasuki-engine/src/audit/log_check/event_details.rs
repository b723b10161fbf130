//! The details of events that streams show besides their leaves: names, task and states.

use tasuki_api as api;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{ActorKind, EventType, Leaf};

use crate::audit::log_check::directory_refs::DirectoryRefs;
use crate::model::{Handoff, RiskWord, StateWord};

/// The expected details of the events of one handoff.
#[derive(Debug)]
pub(super) struct EventDetails {
    task: String,
    sender: PartyId,
    receiver: PartyId,
    contract: Option<String>,
    trigger: Option<String>,
    risk: RiskWord,
    state: StateWord,
    last: Option<Step>,
}

/// The state transition that an event states.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    before: Option<String>,
    after: Option<String>,
}

impl EventDetails {
    pub(super) fn of(handoff: &Handoff) -> Self {
        let facts = &handoff.facts;
        Self {
            task: facts.task.clone(),
            sender: facts.sender,
            receiver: facts.receiver,
            contract: facts.terms.contract.clone(),
            trigger: facts.summary.trigger.clone(),
            risk: handoff.risk(),
            state: handoff.progress.state.word(),
            last: None,
        }
    }

    /// Carries over the last transition from an earlier load of the same handoff.
    pub(super) fn carry_over(&mut self, before: &Self) {
        self.last.clone_from(&before.last);
    }

    /// Returns the first detail of an event that contradicts the handoff.
    pub(super) fn take(
        &mut self,
        event: &api::Event,
        refs: &mut DirectoryRefs,
    ) -> Option<&'static str> {
        let step = Step { before: event.before.clone(), after: event.after.clone() };
        let last = self.last.replace(step.clone());
        // A hold and the event that caused it state the same transition. In older logs, so do all
        // events of one change.
        let follows = |last: Step| step.before == last.after || step == last;
        if let Some(from) = &event.from {
            refs.record_name(self.sender, from, event.n);
        }
        match () {
            () if event.task.as_ref() != Some(&self.task) => Some("task"),
            () if event.from.is_none() => Some("sender"),
            () if !last.is_none_or(follows) => Some("state before"),
            () => None,
        }
    }

    /// Returns the first detail of the last event that contradicts the stored handoff.
    pub(super) fn finish(
        &self,
        event: &api::Event,
        refs: &mut DirectoryRefs,
    ) -> Option<&'static str> {
        if let Some(to) = &event.to {
            refs.record_name(self.receiver, to, event.n);
        }
        match () {
            () if event.after.as_deref() != Some(self.state.as_str()) => Some("state"),
            () if event.to.is_none() => Some("receiver"),
            () if event.contract != self.contract => Some("contract"),
            () if event.trigger != self.trigger => Some("trigger"),
            () if event.risk.as_deref() != Some(self.risk.as_str()) => Some("risk"),
            () => None,
        }
    }
}

/// Returns `true` if event and leaf have the same kind of actor, on behalf of a party or not. Names
/// are compared later.
pub(super) fn names_actor(leaf: &Leaf, event: &api::Event, refs: &mut DirectoryRefs) -> bool {
    match (leaf.actor.on_behalf_of, &event.on_behalf_of) {
        (Some(party), Some(name)) => refs.record_name(party, name, event.n),
        (None, None) => {}
        (Some(_), None) | (None, Some(_)) => return false,
    }
    match (leaf.actor.party, leaf.actor.kind) {
        (Some(party), _) => {
            refs.record_name(party, &event.actor, event.n);
            true
        }
        (None, ActorKind::Clock) => event.actor == "clock",
        (None, _) => event.actor == "system",
    }
}

/// Returns `true` if an event has no details but its actor and, for a halt, its reason.
pub(super) fn has_no_handoff_details(leaf: &Leaf, event: &api::Event) -> bool {
    let has_reason = matches!(leaf.event, EventType::ProjectHalted | EventType::ProjectLifted);
    let details =
        [&event.task, &event.from, &event.to, &event.contract, &event.trigger, &event.risk];
    let states = [&event.before, &event.after];
    let has_statements = !event.causes.is_empty() || event.stated.is_some();
    details.into_iter().chain(states).all(Option::is_none)
        && !has_statements
        && (has_reason || event.reason.is_none())
}
