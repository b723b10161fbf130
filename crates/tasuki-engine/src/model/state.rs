//! The state that the worker decides one batch on: the directory and the handoffs it affects.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf;

use crate::limits::OFFERS_BEYOND;
use crate::model::{
    Change, Directory, Facts, HaltChange, Handoff, IdempotencyKey, IdempotencyRecord, Reviewed,
    State,
};
use crate::refusal::{Refusal, RefusalCode};

/// The state that a batch is decided on.
#[derive(Debug, Clone)]
pub struct ProjectState {
    /// Parties, contracts, gates, settings.
    pub directory: Arc<Directory>,
    /// The end of the log, and the halt flag.
    pub head: Head,
    handoffs: HashMap<HandoffId, Arc<Handoff>>,
    live: HashMap<FactsKey, HandoffId>,
    fingerprints: HashMap<FactsKey, HandoffId>,
    reviewed: HashMap<FactsKey, HandoffId>,
    remembered: HashMap<IdempotencyKey, IdempotencyRecord>,
    /// The number of open handoffs, if a command needs it.
    pub open: Option<u64>,
}

/// A map key that borrows a text from the shared facts of a handoff instead of copying it.
#[derive(Debug, Clone)]
struct FactsKey {
    facts: Arc<Facts>,
    text: fn(&Facts) -> &str,
}

/// The end of a project's log, and the other values that every batch needs first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The project.
    pub project: ProjectId,
    /// The number of leaves, which is also the number of the next leaf.
    pub leaves: u64,
    /// The hash of the last leaf.
    pub last_hash: leaf::Hash,
    /// The time of the last leaf.
    pub last_at: Timestamp,
    /// The version of the directory.
    pub directory_version: u64,
    /// The claim epoch, which a halt increments.
    pub claim_epoch: u64,
    /// `true` while the project is halted and claims are blocked.
    pub is_halted: bool,
    /// A lower bound: the fence of every new claim is higher. A restore raises it.
    pub fence_floor: u64,
    /// The secret key of fingerprints.
    pub fingerprint_key: [u8; 32],
}

/// The data that a batch needs to load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadSet {
    /// Handoffs by id, with their parents and children.
    pub handoffs: BTreeSet<HandoffId>,
    /// The live handoffs of these tasks.
    pub tasks: BTreeSet<String>,
    /// All open handoffs of these tasks.
    pub open_of_tasks: BTreeSet<String>,
    /// The handoffs with the last decision of a person about these tasks.
    pub reviewed_of_tasks: BTreeSet<String>,
    /// Open handoffs with these fingerprints whose task is not in `tasks`.
    pub fingerprints: BTreeSet<String>,
    /// Idempotency keys.
    pub keys: BTreeSet<IdempotencyKey>,
    /// The number of offers to load for these parties.
    pub offers: BTreeMap<Vec<PartyId>, usize>,
    /// Parties whose offers are all loaded, parked ones included.
    pub offers_of: BTreeSet<PartyId>,
    /// Leaves out of `offers` those that are parked at this instant.
    pub claimable_at: Option<Timestamp>,
    /// Loads all claims of an epoch before this one.
    pub claims_before_epoch: Option<u64>,
    /// `true` if the number of open handoffs is needed.
    pub open_count: bool,
}

impl LoadSet {
    /// Loads one more offer to these parties.
    pub fn one_more_offer(&mut self, parties: Vec<PartyId>) {
        *self.offers.entry(parties).or_insert(OFFERS_BEYOND) += 1;
    }
}

impl FactsKey {
    fn task(facts: &Arc<Facts>) -> Self {
        Self { facts: Arc::clone(facts), text: |facts| &facts.task }
    }

    fn fingerprint(facts: &Arc<Facts>) -> Self {
        Self { facts: Arc::clone(facts), text: |facts| &facts.fingerprint }
    }

    fn as_str(&self) -> &str {
        (self.text)(&self.facts)
    }
}

impl Borrow<str> for FactsKey {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for FactsKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for FactsKey {}

impl Hash for FactsKey {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.as_str().hash(hasher);
    }
}

impl ProjectState {
    /// Builds the state from what a store has loaded.
    pub fn new(
        directory: Arc<Directory>,
        head: Head,
        handoffs: impl IntoIterator<Item = Arc<Handoff>>,
        remembered: impl IntoIterator<Item = (IdempotencyKey, IdempotencyRecord)>,
    ) -> Self {
        let handoffs = handoffs.into_iter();
        // The batch may add as many again.
        let room = 2 * handoffs.size_hint().0;
        let mut state = Self {
            directory,
            head,
            handoffs: HashMap::with_capacity(room),
            live: HashMap::with_capacity(room),
            fingerprints: HashMap::with_capacity(room),
            reviewed: HashMap::new(),
            remembered: remembered.into_iter().collect(),
            open: None,
        };
        for handoff in handoffs {
            state.put(handoff);
        }
        state
    }

    fn put(&mut self, handoff: Arc<Handoff>) {
        let facts = &handoff.facts;
        if handoff.is_open() {
            self.fingerprints.insert(FactsKey::fingerprint(facts), handoff.id);
            // A parent that waits for its child is not live; the child is.
            if handoff.progress.child.is_none() {
                self.live.insert(FactsKey::task(facts), handoff.id);
            }
        } else {
            if self.live.get(facts.task.as_str()) == Some(&handoff.id) {
                self.live.remove(facts.task.as_str());
            }
            if self.fingerprints.get(facts.fingerprint.as_str()) == Some(&handoff.id) {
                self.fingerprints.remove(facts.fingerprint.as_str());
            }
        }
        if let Some(own) = review_order(&handoff)
            && self.last_reviewed(&facts.task).is_none_or(|known| review_order(known) <= Some(own))
        {
            self.reviewed.insert(FactsKey::task(facts), handoff.id);
        }
        self.handoffs.insert(handoff.id, handoff);
    }

    /// Applies a change, so that the next command of the batch sees it.
    pub fn apply(&mut self, change: &Change) {
        self.count_open(change);
        // Closed handoffs come first, because a child closes before its parent is live again.
        for handoff in change.handoffs.iter().filter(|handoff| !handoff.is_open()) {
            self.put(Arc::clone(handoff));
        }
        for handoff in change.handoffs.iter().filter(|handoff| handoff.is_open()) {
            self.put(Arc::clone(handoff));
        }
        match change.halt {
            Some(HaltChange::Begin) => {
                self.head.claim_epoch += 1;
                self.head.is_halted = true;
            }
            Some(HaltChange::Lift) => self.head.is_halted = false,
            None => {}
        }
        self.head.fence_floor = self.head.fence_floor.max(change.fence_floor);
    }

    fn count_open(&mut self, change: &Change) {
        let Some(mut open) = self.open else { return };
        for after in &change.handoffs {
            let was_open = self.handoffs.get(&after.id).is_some_and(|before| before.is_open());
            match (was_open, after.is_open()) {
                (false, true) => open += 1,
                (true, false) => open = open.saturating_sub(1),
                _ => {}
            }
        }
        self.open = Some(open);
    }

    /// Records the response to a key.
    pub fn remember(&mut self, key: IdempotencyKey, remembered: IdempotencyRecord) {
        self.remembered.insert(key, remembered);
    }

    /// Returns the recorded response to a key.
    pub fn remembered(&self, key: &IdempotencyKey) -> Option<&IdempotencyRecord> {
        self.remembered.get(key)
    }

    /// Returns the handoff with this id.
    ///
    /// # Errors
    ///
    /// Refuses an unknown id.
    pub fn handoff(&self, id: HandoffId) -> Result<&Handoff, Refusal> {
        self.known(id).ok_or_else(|| {
            Refusal::new(RefusalCode::HandoffUnknown, format!("unknown handoff {id}"))
                .hint("list yours with `tasuki inbox`")
        })
    }

    /// Returns the handoff with this id, if it is loaded.
    pub fn known(&self, id: HandoffId) -> Option<&Handoff> {
        self.handoffs.get(&id).map(Arc::as_ref)
    }

    /// Returns a shared reference to the handoff with this id, if it is loaded.
    pub fn shared(&self, id: HandoffId) -> Option<&Arc<Handoff>> {
        self.handoffs.get(&id)
    }

    /// Returns all loaded handoffs.
    pub fn handoffs(&self) -> impl Iterator<Item = &Handoff> {
        self.handoffs.values().map(Arc::as_ref)
    }

    /// Returns the live handoff of a task.
    pub fn live(&self, task: &str) -> Option<&Handoff> {
        self.known(*self.live.get(task)?)
    }

    /// Returns the last decision of a person about a task, or the hold that waits for the first one.
    pub fn reviewed(&self, task: &str) -> Option<&Reviewed> {
        self.last_reviewed(task)?.progress.reviewed.as_ref()
    }

    fn last_reviewed(&self, task: &str) -> Option<&Handoff> {
        self.known(*self.reviewed.get(task)?)
    }

    /// Returns the open handoff with this fingerprint.
    pub fn with_fingerprint(&self, fingerprint: &str) -> Option<&Handoff> {
        let found = self.known(*self.fingerprints.get(fingerprint)?)?;
        // A revision in the same batch changes the fingerprint.
        (found.facts.fingerprint == fingerprint).then_some(found)
    }

    /// Returns the offers to any of these parties, most urgent first.
    pub fn offers_to(&self, parties: &[PartyId]) -> Vec<&Handoff> {
        let mut offers: Vec<(_, &Handoff)> = self
            .handoffs()
            .filter(|handoff| parties.contains(&handoff.facts.receiver))
            .filter_map(|handoff| {
                if let State::Offered(offer) = &handoff.progress.state {
                    Some((offer, handoff))
                } else {
                    None
                }
            })
            .map(|(offer, handoff)| {
                ((handoff.facts.terms.risk.priority(), offer.since, handoff.id), handoff)
            })
            .collect();
        offers.sort_by_key(|(order, _)| *order);
        offers.into_iter().map(|(_, handoff)| handoff).collect()
    }
}

/// Returns the key that orders the handoffs of a task by their last decision of a person.
pub fn review_order(handoff: &Handoff) -> Option<(Timestamp, HandoffId)> {
    Some((handoff.progress.reviewed.as_ref()?.at, handoff.id))
}

/// Returns the microseconds since 1970. They exceed the number of claims and the floor of any
/// earlier restore, and JSON carries them without loss until the year 2255.
pub(crate) fn fence_floor(now: Timestamp) -> u64 {
    u64::try_from(now.as_microsecond()).unwrap_or(0)
}

/// Returns the head of an empty log.
pub fn empty_head(project: ProjectId, now: Timestamp, fingerprint_key: [u8; 32]) -> Head {
    Head {
        project,
        leaves: 0,
        last_hash: leaf::Hash::ZERO,
        last_at: now,
        directory_version: 0,
        claim_epoch: 1,
        is_halted: false,
        fence_floor: 0,
        fingerprint_key,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{World, claim, pass_on, submit};

    #[test]
    fn a_task_has_one_live_handoff_which_is_the_child_of_a_passed_on_parent() {
        let mut world = World::new();
        let live = |world: &World| world.state.live("task-1").map(|handoff| handoff.id);
        assert_eq!(live(&world), None);
        world.done("ana", submit(&json!({})));
        let parent = world.newest();
        assert_eq!(live(&world), Some(parent));
        world.done("ben", claim(parent));
        let shown = world.shown();
        world.advance(1);
        world.done("ben", pass_on(shown, "cem"));
        let child = world.newest();
        assert_eq!(live(&world), Some(child));
        world.done("cem", crate::testing::decline(child));
        assert_eq!(live(&world), Some(parent));
    }
}
