//! The tables of a project, and the meaning of each query.
//!
//! Rows are shared, so that a transaction can work on a copy of everything and replace it as a
//! whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::model::state::review_order;
use tasuki_engine::model::{
    DocumentKind, Handoff, Head, IdempotencyKey, IdempotencyRecord, LoadSet, Offer, Record, State,
    StateWord, Urgency, failure,
};
use tasuki_engine::ports::cost;
use tasuki_engine::ports::{
    Counts, Extent, HandoffRow, LeafRow, Loaded, Order, Query, Stored, WriteSet,
};
use tasuki_packet::id::{HandoffId, PartyId};

#[derive(Debug, Clone)]
pub(super) struct Tables {
    pub(super) head: Head,
    handoffs: BTreeMap<HandoffId, Arc<Kept>>,
    pub(super) documents: Vec<Arc<Stored>>,
    pub(super) leaves: Vec<Arc<LeafRow>>,
    /// The records in the order of their last write: the later of two gates of one name wins.
    pub(super) records: Vec<Arc<Record>>,
    remembered: BTreeMap<IdempotencyKey, Arc<IdempotencyRecord>>,
    acknowledged: BTreeMap<(PartyId, HandoffId), u64>,
}

#[derive(Debug)]
struct Kept {
    handoff: Arc<Handoff>,
    due_at: Option<Timestamp>,
}

impl Tables {
    pub(super) fn new(head: Head) -> Self {
        Self {
            head,
            handoffs: BTreeMap::new(),
            documents: Vec::new(),
            leaves: Vec::new(),
            records: Vec::new(),
            remembered: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
        }
    }

    /// Applies one write set.
    pub(super) fn write(&mut self, written: WriteSet) -> Result<(), Fault> {
        for row in written.handoffs {
            self.put(row)?;
        }
        for (n, document) in written.documents {
            let is_same = |known: &&Arc<Stored>| {
                let known = &known.document;
                (known.handoff, known.kind) == (document.handoff, document.kind)
                    && known.id == document.id
            };
            if self.documents.iter().any(|known| is_same(&known)) {
                return Err(bug(format!("document `{}` already exists", document.id)));
            }
            self.documents.push(Arc::new(Stored { n, document }));
        }
        for leaf in written.leaves {
            if leaf.n != self.leaves.len() as u64 {
                return Err(bug(format!("leaf {} after {} leaves", leaf.n, self.leaves.len())));
            }
            self.leaves.push(Arc::new(leaf));
        }
        for record in written.records {
            self.records.retain(|known| known.key() != record.key());
            self.records.push(Arc::new(record));
        }
        let remembered = written.remembered.map(|kept| *kept);
        self.remembered.extend(remembered.map(|(key, it)| (key, Arc::new(it))));
        Ok(())
    }

    /// Stores a handoff. The two flags only save work; a wrong value must not go unnoticed.
    fn put(&mut self, row: HandoffRow) -> Result<(), Fault> {
        let HandoffRow { handoff, due_at, is_new, has_new_facts } = row;
        let known = self.handoffs.get(&handoff.id);
        if is_new != known.is_none() {
            return Err(bug(format!("{} has a wrong `is_new: {is_new}`", handoff.id)));
        }
        let has_other_facts = known.is_none_or(|known| known.handoff.facts != handoff.facts);
        if has_other_facts && !has_new_facts && !is_new {
            return Err(bug(format!("facts of {} changed without `has_new_facts`", handoff.id)));
        }
        self.handoffs.insert(handoff.id, Arc::new(Kept { handoff, due_at }));
        Ok(())
    }

    /// Ends a batch with this head.
    pub(super) fn end(&mut self, head: Head) -> Result<(), Fault> {
        if head.project != self.head.project || head.leaves != self.leaves.len() as u64 {
            return Err(bug(format!(
                "head has {} leaves, expected {}",
                head.leaves,
                self.leaves.len()
            )));
        }
        self.head = head;
        Ok(())
    }

    pub(super) fn directory(&self) -> Vec<Record> {
        self.records.iter().map(|record| Record::clone(record)).collect()
    }

    pub(super) fn handoff(&self, id: HandoffId) -> Option<Handoff> {
        self.handoffs.get(&id).map(|kept| Handoff::clone(&kept.handoff))
    }

    /// Changes every handoff without changing its due time.
    pub(super) fn change_handoffs(&mut self, mut change: impl FnMut(&mut Handoff)) {
        for kept in self.handoffs.values_mut() {
            let mut handoff = Handoff::clone(&kept.handoff);
            change(&mut handoff);
            *kept = Arc::new(Kept { handoff: Arc::new(handoff), due_at: kept.due_at });
        }
    }

    fn all(&self) -> impl Iterator<Item = &Handoff> {
        self.handoffs.values().map(|kept| kept.handoff.as_ref())
    }

    /// Returns a page of a list, which continues after the current position of `after`.
    pub(super) fn handoffs(&self, query: &Query) -> Vec<Handoff> {
        let mut listed: Vec<&Handoff> = self.all().collect();
        let position = |one: &Handoff| match query.order {
            Order::Deadline => {
                let due_at = self.handoffs.get(&one.id).and_then(|kept| kept.due_at);
                Urgency::by_deadline(one.id, due_at)
            }
            Order::Newest | Order::Oldest | Order::Urgent => Urgency::of(one),
        };
        match query.order {
            Order::Newest => listed.sort_by_key(|handoff| std::cmp::Reverse(handoff.id)),
            Order::Oldest => listed.sort_by_key(|handoff| handoff.id),
            Order::Urgent | Order::Deadline => listed.sort_by_key(|handoff| position(handoff)),
        }
        let is_before = |handoff: &&&Handoff| query.after.is_some_and(|after| handoff.id != after);
        let skipped = listed.iter().take_while(is_before).count();
        let first = if query.after.is_some() { skipped + 1 } else { 0 };
        let is_behind = |one: &Handoff| query.behind.is_none_or(|place| position(one) > place);
        let is_asked = |handoff: &&Handoff| {
            is_within(handoff.id, query)
                && is_behind(handoff)
                && matches(handoff, query)
                && self.is_unacknowledged(handoff, query)
        };
        let rest = listed.into_iter().skip(first).filter(is_asked);
        rest.take(query.limit as usize).cloned().collect()
    }

    /// Returns the handoff that is this many places after another one in the order of ids.
    pub(super) fn handoff_at(
        &self,
        after: Option<HandoffId>,
        is_newest_first: bool,
        places: u32,
    ) -> Option<HandoffId> {
        let skipped = (places as usize).saturating_sub(1);
        let ids = self.handoffs.keys().copied();
        if is_newest_first {
            ids.rev().filter(|id| after.is_none_or(|after| *id < after)).nth(skipped)
        } else {
            ids.filter(|id| after.is_none_or(|after| *id > after)).nth(skipped)
        }
    }

    /// Returns `true` if a query asks for no failure, or for one that its party has not acknowledged.
    fn is_unacknowledged(&self, handoff: &Handoff, query: &Query) -> bool {
        let Some(party) = query.failures_for else { return true };
        let seen = self.acknowledged.get(&(party, handoff.id));
        failure::of(handoff).is_some_and(|failure| seen.is_none_or(|seen| *seen < failure.n))
    }

    pub(super) fn acknowledge(&mut self, party: PartyId, failures: Vec<(HandoffId, u64)>) {
        for (handoff, n) in failures {
            let seen = self.acknowledged.entry((party, handoff)).or_default();
            *seen = n.max(*seen);
        }
    }

    pub(super) fn documents(&self, of: HandoffId, kind: Option<DocumentKind>) -> Vec<Stored> {
        let is_asked = |stored: &&Arc<Stored>| {
            stored.document.handoff == of && kind.is_none_or(|kind| stored.document.kind == kind)
        };
        self.documents.iter().filter(is_asked).map(|stored| Stored::clone(stored)).collect()
    }

    pub(super) fn leaves(&self, from: u64, limit: u32) -> Vec<LeafRow> {
        let rest = self.leaves.iter().filter(|leaf| leaf.n >= from);
        let found: Vec<LeafRow> =
            rest.take(limit as usize).map(|leaf| LeafRow::clone(leaf)).collect();
        cost::add(found.len() as u64);
        found
    }

    pub(super) fn leaves_of(&self, handoff: HandoffId) -> Vec<LeafRow> {
        let its = self.leaves.iter().filter(|leaf| leaf.handoff == Some(handoff));
        its.map(|leaf| LeafRow::clone(leaf)).collect()
    }

    pub(super) fn next_due(&self) -> Option<Timestamp> {
        self.handoffs.values().filter_map(|kept| kept.due_at).min()
    }

    pub(super) fn due_times(&self) -> Vec<(HandoffId, Option<Timestamp>)> {
        self.handoffs.iter().map(|(id, kept)| (*id, kept.due_at)).collect()
    }

    /// Returns due handoffs. A handoff is due at exactly its due time; ties are ordered by age,
    /// oldest first.
    pub(super) fn due(&self, now: Timestamp, limit: usize) -> Vec<HandoffId> {
        let dated = |kept: &Arc<Kept>| Some((kept.due_at?, kept.handoff.id));
        let mut due: Vec<_> =
            self.handoffs.values().filter_map(dated).filter(|(due_at, _)| *due_at <= now).collect();
        due.sort_unstable();
        due.into_iter().take(limit).map(|(_, id)| id).collect()
    }

    pub(super) fn counts(&self) -> Counts {
        let begun = self.all().filter(|handoff| handoff.facts.is_begun).count() as u64;
        let in_state = |word: StateWord| {
            let count = self.all().filter(|handoff| handoff.progress.state.word() == word).count();
            (word, count as u64)
        };
        Counts {
            begun,
            submitted: self.handoffs.len() as u64 - begun,
            states: StateWord::ALL.into_iter().map(in_state).collect(),
        }
    }

    /// Loads each selected handoff once, with its parent and its child.
    pub(super) fn load(&self, touched: &LoadSet) -> Loaded {
        let mut ids: BTreeSet<HandoffId> = touched.handoffs.clone();
        ids.extend(self.all().filter(|handoff| is_touched(handoff, touched)).map(|one| one.id));
        for (parties, count) in &touched.offers {
            ids.extend(self.offers(parties, touched.claimable_at).into_iter().take(*count));
        }
        for party in &touched.offers_of {
            ids.extend(self.offers(&[*party], None));
        }
        let last_reviewed = |task: &String| {
            let of_task = self.all().filter(|handoff| handoff.facts.task == *task);
            of_task.filter_map(review_order).max().map(|(_, id)| id)
        };
        ids.extend(touched.reviewed_of_tasks.iter().filter_map(last_reviewed));
        let asked: Vec<&Arc<Handoff>> =
            ids.iter().filter_map(|id| self.handoffs.get(id)).map(|kept| &kept.handoff).collect();
        let relatives = asked.into_iter().flat_map(|one| [one.facts.parent, one.progress.child]);
        let relatives: Vec<HandoffId> = relatives.flatten().collect();
        ids.extend(relatives);
        let remembered = |key: &IdempotencyKey| {
            Some((key.clone(), IdempotencyRecord::clone(self.remembered.get(key)?)))
        };
        Loaded {
            handoffs: ids
                .iter()
                .filter_map(|id| self.handoffs.get(id))
                .map(|kept| Arc::clone(&kept.handoff))
                .collect(),
            remembered: touched.keys.iter().filter_map(remembered).collect(),
            open: touched.open_count.then(|| self.counts().open()),
        }
    }

    fn offers(&self, parties: &[PartyId], at: Option<Timestamp>) -> Vec<HandoffId> {
        let is_claimable = |offer: &Offer| {
            offer.not_before.zip(at).is_none_or(|(not_before, at)| not_before <= at)
        };
        let is_offer = |handoff: &&Handoff| {
            matches!(&handoff.progress.state, State::Offered(offer) if is_claimable(offer))
                && parties.contains(&handoff.facts.receiver)
        };
        let mut offers: Vec<_> = self.all().filter(is_offer).map(Urgency::of).collect();
        offers.sort_unstable();
        offers.into_iter().map(|place| place.id).collect()
    }
}

/// Returns `true` if a handoff is selected as the live one of a task, by its fingerprint or by its
/// claim.
fn is_touched(handoff: &Handoff, touched: &LoadSet) -> bool {
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    let is_live = handoff.is_open() && progress.child.is_none();
    is_live && touched.tasks.contains(&facts.task)
        || handoff.is_open() && touched.open_of_tasks.contains(&facts.task)
        || handoff.is_open()
            && facts.task.starts_with("tsk_")
            && touched.fingerprints.contains(&facts.fingerprint)
        || touched
            .claims_before_epoch
            .is_some_and(|epoch| handoff.claim().is_some_and(|claim| claim.epoch < epoch))
}

/// Returns `true` if a query looks at a handoff.
fn is_within(id: HandoffId, query: &Query) -> bool {
    match (query.extent, query.order) {
        (Extent::Until(Some(last)), Order::Newest) => id >= last,
        (Extent::Until(Some(last)), Order::Oldest) => id <= last,
        _ => true,
    }
}

fn matches(handoff: &Handoff, query: &Query) -> bool {
    let facts = &handoff.facts;
    let holder = handoff.claim().map(|claim| claim.holder);
    is_one_of(&query.states, &handoff.progress.state.word())
        && is_one_of(&query.receivers, &facts.receiver)
        && is_one_of(&query.senders, &facts.sender)
        && (!query.awaits_sender || handoff.awaits_sender())
        && (query.judges.is_empty()
            || handoff.judge().is_some_and(|judge| query.judges.contains(&judge)))
        && (!query.left_to_others || handoff.is_left_to_others())
        && query.holder.is_none_or(|asked| holder == Some(asked))
        && query.task.as_ref().is_none_or(|task| *task == facts.task)
        && query.ending.as_ref().is_none_or(|ending| handoff.id.to_string().ends_with(ending))
}

/// Returns `true` if the list contains the value or is empty.
fn is_one_of<T: PartialEq>(asked: &[T], found: &T) -> bool {
    asked.is_empty() || asked.contains(found)
}

fn bug(message: String) -> Fault {
    Fault::new(FaultKind::Bug, message)
}
