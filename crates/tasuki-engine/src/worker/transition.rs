//! The state transition of each event in a change.
//!
//! A change has only the states before and after all its events; each event gets its own
//! transition.

use std::sync::Arc;

use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{Attribute, EventType};

use crate::model::{Event, Handoff, ProjectState, StateWord};

/// The transition of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateTransition {
    /// The state before it; `None` before the first.
    pub(crate) before: Option<StateWord>,
    /// The state after it.
    pub(crate) after: StateWord,
    /// The receiver after it.
    pub(crate) receiver: PartyId,
}

/// Returns the transition of each event, in order; `None` for an event without a handoff.
pub(crate) fn transitions(
    events: &[Event],
    state: &ProjectState,
    handoffs: &[Arc<Handoff>],
) -> Vec<Option<StateTransition>> {
    let mut transitions = vec![None; events.len()];
    for handoff in handoffs {
        follow(events, state.known(handoff.id), handoff, &mut transitions);
    }
    transitions
}

/// Assigns the transitions of one handoff.
fn follow(
    events: &[Event],
    known: Option<&Handoff>,
    handoff: &Handoff,
    transitions: &mut [Option<StateTransition>],
) {
    let own = |event: &&Event| event.handoff == Some(handoff.id);
    let (mut before, mut now) = (None, known.map(word));
    let mut receiver = known.unwrap_or(handoff).facts.receiver;
    let mut is_held_next = false;
    for (place, event) in events.iter().enumerate().filter(|(_, event)| own(event)) {
        let next = events[place + 1..].iter().find(own);
        // An event that causes a hold shares its transition: the handoff was never offered.
        if !is_held_next {
            before = now;
        }
        let after = next.map_or(Some(word(handoff)), |_| after(event, now)).or(now);
        is_held_next = after == Some(StateWord::Offered)
            && next.is_some_and(|next| next.kind == EventType::Held);
        let after = if is_held_next { Some(StateWord::Held) } else { after };
        if next.is_none() || names_receiver(event, handoff.facts.receiver) {
            receiver = handoff.facts.receiver;
        }
        transitions[place] = after.map(|after| StateTransition { before, after, receiver });
        now = after;
    }
}

/// Returns the state after an event that is followed by others, if it changes the state.
#[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
fn after(event: &Event, now: Option<StateWord>) -> Option<StateWord> {
    match event.kind {
        EventType::Submitted
        | EventType::Lapsed
        | EventType::Released
        | EventType::Parked
        | EventType::Redriven => Some(StateWord::Offered),
        // In `returned`, only the judging moves to another party.
        EventType::MovedOn | EventType::Rerouted => {
            let goes = event.attributes.get("receiver").is_some();
            Some(StateWord::Offered).filter(|_| goes && now != Some(StateWord::Returned))
        }
        EventType::Held => Some(StateWord::Held),
        EventType::Claimed | EventType::Begun | EventType::Intercepted | EventType::Adopted => {
            Some(StateWord::Claimed)
        }
        EventType::Returned => Some(StateWord::Returned),
        _ => None,
    }
}

fn names_receiver(event: &Event, receiver: PartyId) -> bool {
    event.attributes.get("receiver") == Some(&Attribute::Id(receiver.into()))
}

fn word(handoff: &Handoff) -> StateWord {
    handoff.progress.state.word()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{World, cancel, claim, decline, return_packet, submit, verdict};

    /// Formats the events after a leaf, each with its transition.
    fn way(world: &World, from: usize) -> String {
        let line = |row: &crate::ports::LeafRow| {
            let event = crate::query::events::event(row).unwrap();
            let (before, after) = (event.before.as_deref(), event.after.as_deref());
            let state = format!("{} -> {}", before.unwrap_or("-"), after.unwrap_or("-"));
            let kind = event.kind.strip_prefix("handoff.").unwrap_or(&event.kind).to_owned();
            format!("{kind}: {state}, for {}", event.to.as_deref().unwrap_or("-"))
        };
        world.leaves[from..].iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn submitted(more: &Value) -> World {
        let mut world = World::new();
        world.done("ana", submit(more));
        world
    }

    #[test]
    fn a_return_that_ends_the_work_is_returned_and_then_done() {
        let mut world = submitted(&json!({}));
        world.done("ben", claim(world.newest()));
        world.done("ben", return_packet(world.shown(), &json!({})));
        insta::assert_snapshot!(way(&world, 0), @"
        submitted: - -> offered, for ben
        delivered: offered -> offered, for ben
        claimed: offered -> claimed, for ben
        returned: claimed -> returned, for ben
        done: returned -> done, for ben
        ");
    }

    #[test]
    fn a_verdict_is_given_on_what_was_returned() {
        let mut world = submitted(&json!({"return_required": ["status"]}));
        world.done("ben", claim(world.newest()));
        world.done("ben", return_packet(world.shown(), &json!({})));
        let leaves = world.leaves.len();
        world.done("ana", verdict(&world, world.newest(), true));
        insta::assert_snapshot!(way(&world, leaves), @"
        verified: returned -> returned, for ben
        done: returned -> done, for ben
        ");
    }

    #[test]
    fn a_declined_handoff_moves_from_its_receiver_to_the_next_rung() {
        let mut world = submitted(&json!({"fallback": [{"to": "ana"}, {"to": "cem"}]}));
        world.done("ben", decline(world.newest()));
        world.done("cem", decline(world.newest()));
        insta::assert_snapshot!(way(&world, 0), @"
        submitted: - -> offered, for ben
        declined: offered -> offered, for ben
        moved_on: offered -> offered, for ben
        moved_on: offered -> offered, for cem
        declined: offered -> offered, for cem
        died: offered -> dead, for cem
        ");
    }

    #[test]
    fn an_event_that_causes_a_hold_shares_its_transition() {
        let world = submitted(&json!({"trigger": {"kind": "critical_action"}}));
        insta::assert_snapshot!(way(&world, 0), @"
        submitted: - -> held, for ben
        held: - -> held, for ben
        ");
    }

    #[test]
    fn an_expired_lease_ends_the_claim_before_the_next_rung() {
        let mut world = World::new();
        world.contract(&json!({"lease": {"for": "1m", "attempts": 1}}));
        world.done("ana", submit(&json!({"fallback": [{"to": "cem"}]})));
        world.done("ben", claim(world.newest()));
        let leaves = world.leaves.len();
        world.advance(60);
        world.apply_due();
        insta::assert_snapshot!(way(&world, leaves), @"
        lapsed: claimed -> offered, for ben
        moved_on: offered -> offered, for cem
        ");
    }

    #[test]
    fn a_superseded_handoff_is_then_cancelled() {
        let mut world = submitted(&json!({}));
        let (first, leaves) = (world.newest(), world.leaves.len());
        world.advance(1);
        world.done("ana", submit(&json!({"to_agent": "cem", "supersedes": first})));
        world.done("ana", cancel(world.newest()));
        insta::assert_snapshot!(way(&world, leaves), @"
        superseded: offered -> offered, for ben
        cancelled: offered -> cancelled, for ben
        submitted: - -> offered, for cem
        cancelled: offered -> cancelled, for cem
        ");
    }
}
