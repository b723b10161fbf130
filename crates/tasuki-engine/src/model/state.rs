//! What the worker knows while it decides one batch: the directory, and the handoffs it touches.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf;

use crate::limits::OFFERS_BEYOND;
use crate::model::{Change, Directory, Facts, HaltChange, Handoff, State};
use crate::refusal::{Refusal, RefusalCode};

/// What is known while a batch is decided.
#[derive(Debug, Clone)]
pub struct ProjectState {
    /// Parties, contracts, gates, settings.
    pub directory: Arc<Directory>,
    /// The end of the log, and the halt.
    pub head: Head,
    handoffs: HashMap<HandoffId, Arc<Handoff>>,
    live: HashMap<TextOf, HandoffId>,
    fingerprints: HashMap<TextOf, HandoffId>,
    remembered: HashMap<IdempotencyKey, IdempotencyRecord>,
    /// How many handoffs are open, where a command needs to know.
    pub open: Option<u64>,
}

/// A text in the facts of a handoff, as a key: it stays where it is.
#[derive(Debug, Clone)]
struct TextOf {
    facts: Arc<Facts>,
    text: fn(&Facts) -> &str,
}

/// The end of a project's log, and what else every batch needs first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The project.
    pub project: ProjectId,
    /// How many leaves there are; the next one has this number.
    pub leaves: u64,
    /// The hash of the last leaf.
    pub last_hash: leaf::Hash,
    /// The time of the last leaf.
    pub last_at: Timestamp,
    /// The version of the directory.
    pub directory_version: u64,
    /// The claim epoch; a halt raises it.
    pub claim_epoch: u64,
    /// Whether nobody may claim.
    pub is_halted: bool,
    /// The fence of every new claim is larger than this; a restore raises it.
    pub fence_floor: u64,
    /// The secret key of fingerprints.
    pub fingerprint_key: [u8; 32],
}

/// What a batch needs to have loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadSet {
    /// Handoffs by id, with their parents and children.
    pub handoffs: BTreeSet<HandoffId>,
    /// The live handoffs of these tasks.
    pub tasks: BTreeSet<String>,
    /// All open handoffs of these tasks.
    pub open_of_tasks: BTreeSet<String>,
    /// Open handoffs with these fingerprints whose task nobody has named.
    pub fingerprints: BTreeSet<String>,
    /// Idempotency keys.
    pub keys: BTreeSet<IdempotencyKey>,
    /// The first so many offers to these parties.
    pub offers: BTreeMap<Vec<PartyId>, usize>,
    /// All offers to these parties, parked ones too.
    pub offers_of: BTreeSet<PartyId>,
    /// Of the first so many offers, those that are parked at this instant are left out.
    pub claimable_at: Option<Timestamp>,
    /// All claims of an epoch before this one.
    pub claims_before_epoch: Option<u64>,
    /// How many handoffs are open.
    pub open_count: bool,
}

/// An idempotency key in its scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IdempotencyKey {
    /// Who used it.
    pub party: PartyId,
    /// For which command.
    pub command: &'static str,
    /// The key.
    pub key: String,
}

/// What was answered to a command with a key.
#[derive(Debug, Clone, PartialEq)]
pub struct IdempotencyRecord {
    /// The digest of the request.
    pub request: String,
    /// The answer.
    pub answer: api::CommandResponse,
    /// When it may be forgotten; never for a submit.
    pub until: Option<Timestamp>,
}

impl LoadSet {
    /// One more offer to these parties is needed.
    pub fn one_more_offer(&mut self, parties: Vec<PartyId>) {
        *self.offers.entry(parties).or_insert(OFFERS_BEYOND) += 1;
    }
}

impl TextOf {
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

impl Borrow<str> for TextOf {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for TextOf {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for TextOf {}

impl Hash for TextOf {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.as_str().hash(hasher);
    }
}

impl ProjectState {
    /// What a store has loaded.
    pub fn new(
        directory: Arc<Directory>,
        head: Head,
        handoffs: impl IntoIterator<Item = Arc<Handoff>>,
        remembered: impl IntoIterator<Item = (IdempotencyKey, IdempotencyRecord)>,
    ) -> Self {
        let handoffs = handoffs.into_iter();
        // As many again may come with the batch.
        let room = 2 * handoffs.size_hint().0;
        let mut state = Self {
            directory,
            head,
            handoffs: HashMap::with_capacity(room),
            live: HashMap::with_capacity(room),
            fingerprints: HashMap::with_capacity(room),
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
            self.fingerprints.insert(TextOf::fingerprint(facts), handoff.id);
            // A parent waiting for its child counts as one with it, and the child is the live one.
            if handoff.progress.child.is_none() {
                self.live.insert(TextOf::task(facts), handoff.id);
            }
        } else {
            if self.live.get(facts.task.as_str()) == Some(&handoff.id) {
                self.live.remove(facts.task.as_str());
            }
            if self.fingerprints.get(facts.fingerprint.as_str()) == Some(&handoff.id) {
                self.fingerprints.remove(facts.fingerprint.as_str());
            }
        }
        self.handoffs.insert(handoff.id, handoff);
    }

    /// Takes a change in, so that the next command of the batch sees it.
    pub fn apply(&mut self, change: &Change) {
        self.count_open(change);
        // A child ends before its parent lives again: closed ones first.
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

    /// Remembers what was answered to a key.
    pub fn remember(&mut self, key: IdempotencyKey, remembered: IdempotencyRecord) {
        self.remembered.insert(key, remembered);
    }

    /// What was answered to a key.
    pub fn remembered(&self, key: &IdempotencyKey) -> Option<&IdempotencyRecord> {
        self.remembered.get(key)
    }

    /// The handoff with this id.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn handoff(&self, id: HandoffId) -> Result<&Handoff, Refusal> {
        self.known(id).ok_or_else(|| {
            Refusal::new(RefusalCode::HandoffUnknown, format!("there is no handoff {id}"))
                .hint("`tasuki inbox` lists what is yours")
        })
    }

    /// The same where it is no error if there is none.
    pub fn known(&self, id: HandoffId) -> Option<&Handoff> {
        self.handoffs.get(&id).map(Arc::as_ref)
    }

    /// The same, to be kept.
    pub fn shared(&self, id: HandoffId) -> Option<&Arc<Handoff>> {
        self.handoffs.get(&id)
    }

    /// All loaded handoffs.
    pub fn handoffs(&self) -> impl Iterator<Item = &Handoff> {
        self.handoffs.values().map(Arc::as_ref)
    }

    /// The live handoff of a task.
    pub fn live(&self, task: &str) -> Option<&Handoff> {
        self.known(*self.live.get(task)?)
    }

    /// The open handoff with this fingerprint.
    pub fn with_fingerprint(&self, fingerprint: &str) -> Option<&Handoff> {
        let found = self.known(*self.fingerprints.get(fingerprint)?)?;
        // A revision in the same batch has another fingerprint than the packet it replaced.
        (found.facts.fingerprint == fingerprint).then_some(found)
    }

    /// Offers to any of these parties, most urgent first.
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

/// The microseconds since 1970: more than there were claims, more than after any earlier restore,
/// and until the year 2255 a number that JSON carries without loss.
pub(crate) fn fence_floor(now: Timestamp) -> u64 {
    u64::try_from(now.as_microsecond()).unwrap_or(0)
}

/// The head of an empty log.
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
    fn a_task_has_one_live_handoff_and_of_parent_and_child_it_is_the_child() {
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
