//! Decisions of people about tasks, derived from the log and the digests of its packets.
//!
//! Once a person has decided about a task, a packet that an agent writes for it must not be claimed
//! unless a person approved its bytes. Work that is passed on under a contract is decided by that
//! contract. The answer to a question may add a note, which does not count as another packet.

use std::collections::{BTreeMap, BTreeSet};

use tasuki_engine::model::Facts;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::{Actor, ActorKind, EventType, Leaf};

use super::history::{Checked, must};

#[derive(Debug, Clone, Default)]
pub(crate) struct Reviews {
    tasks: BTreeMap<String, ReviewedTask>,
    /// Handoffs whose packet an agent wrote after a person had decided about the task.
    unseen: BTreeSet<HandoffId>,
    /// The digests of the current packets.
    current: BTreeMap<HandoffId, String>,
}

#[derive(Debug, Clone, Default)]
struct ReviewedTask {
    is_decided: bool,
    /// The digests of packets that a person decided about.
    seen: BTreeSet<String>,
}

impl Reviews {
    /// Applies a leaf about the packet with this digest.
    pub(crate) fn follow(
        &mut self,
        leaf: &Leaf,
        facts: &Facts,
        id: HandoffId,
        digest: &str,
    ) -> Checked {
        let task = self.tasks.entry(facts.task.clone()).or_default();
        let before = self.current.insert(id, digest.to_owned());
        match leaf.event {
            EventType::Submitted | EventType::Begun | EventType::Revised => {
                let is_of_contract = facts.parent.is_some() && facts.terms.contract.is_some();
                if is_person(leaf.actor) {
                    task.seen.insert(digest.to_owned());
                } else if task.is_decided && !is_of_contract {
                    self.unseen.insert(id);
                }
            }
            EventType::Answered if before.is_some_and(|before| task.seen.contains(&before)) => {
                task.seen.insert(digest.to_owned());
            }
            EventType::Claimed => {
                let is_seen = !self.unseen.contains(&id) || task.seen.contains(digest);
                must(is_seen, "no changed packet is claimed unseen", || {
                    format!("leaf {} of {id}: {digest}", leaf.number)
                })?;
            }
            event if is_person(leaf.actor) && is_decision(event) => {
                task.is_decided = true;
                let is_refusal =
                    matches!(event, EventType::Rejected | EventType::Denied | EventType::Cancelled);
                task.seen.extend((!is_refusal).then(|| digest.to_owned()));
            }
            _ => {}
        }
        Ok(())
    }
}

fn is_person(actor: Actor) -> bool {
    actor.kind == ActorKind::Human
}

fn is_decision(event: EventType) -> bool {
    matches!(
        event,
        EventType::Accepted
            | EventType::SignedOff
            | EventType::Denied
            | EventType::Rejected
            | EventType::Edited
            | EventType::Rerouted
            | EventType::Intercepted
            | EventType::Cancelled
    )
}
