//! What events say besides their leaves, which streams and timelines show: names, task, states.

use tasuki_api as api;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{ActorKind, EventType, Leaf};

use crate::audit::log_check::directory_refs::Named;
use crate::model::{Handoff, RiskWord, StateWord};

/// What events say of one handoff.
#[derive(Debug)]
pub(super) struct Words {
    task: String,
    sender: PartyId,
    receiver: PartyId,
    contract: Option<String>,
    trigger: Option<String>,
    risk: RiskWord,
    state: StateWord,
    last: Option<Step>,
}

/// From which state to which an event says that the handoff went.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Step {
    before: Option<String>,
    after: Option<String>,
}

impl Words {
    pub(super) fn of(handoff: &Handoff) -> Self {
        let facts = &handoff.facts;
        Self {
            task: facts.task.clone(),
            sender: facts.sender,
            receiver: facts.receiver,
            contract: facts.terms.contract.clone(),
            trigger: facts.summary.trigger.clone(),
            risk: facts.terms.risk,
            state: handoff.progress.state.word(),
            last: None,
        }
    }

    /// Keeps what another look at the same handoff has seen.
    pub(super) fn remember(&mut self, before: &Self) {
        self.last.clone_from(&before.last);
    }

    /// What an event says of the handoff otherwise than is known of it.
    pub(super) fn take(&mut self, event: &api::Event, named: &mut Named) -> Option<&'static str> {
        let step = Step { before: event.before.clone(), after: event.after.clone() };
        let last = self.last.replace(step.clone());
        // A hold and what led to it tell the same move. So did all events of one change, once.
        let follows = |last: Step| step.before == last.after || step == last;
        if let Some(from) = &event.from {
            named.call(self.sender, from, event.n);
        }
        match () {
            () if event.task.as_ref() != Some(&self.task) => Some("task"),
            () if event.from.is_none() => Some("sender"),
            () if !last.is_none_or(follows) => Some("state before"),
            () => None,
        }
    }

    /// The same of the last event, after which the handoff is as it is stored.
    pub(super) fn finish(&self, event: &api::Event, named: &mut Named) -> Option<&'static str> {
        if let Some(to) = &event.to {
            named.call(self.receiver, to, event.n);
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

/// Whether an event names whoever its leaf names. What parties are called is compared later.
pub(super) fn names_actor(leaf: &Leaf, event: &api::Event, named: &mut Named) -> bool {
    match (leaf.actor.party, leaf.actor.kind) {
        (Some(party), _) => {
            named.call(party, &event.actor, event.n);
            true
        }
        (None, ActorKind::Clock) => event.actor == "clock",
        (None, _) => event.actor == "system",
    }
}

/// Whether an event about no handoff says nothing but who did it, and of a halt why.
pub(super) fn is_bare(leaf: &Leaf, event: &api::Event) -> bool {
    let has_reason = matches!(leaf.event, EventType::ProjectHalted | EventType::ProjectLifted);
    let said = [&event.task, &event.from, &event.to, &event.contract, &event.trigger, &event.risk];
    let states = [&event.before, &event.after];
    said.into_iter().chain(states).all(Option::is_none) && (has_reason || event.reason.is_none())
}
