//! Walks the log from a leaf to its end.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::{
    Attribute, Chain, EventType, Hash, Leaf, Subject, names_last_of_handoff,
};

use super::history::History;
use super::policy::Policy;
use crate::audit::log_check::directory_refs::DirectoryRefs;
use crate::audit::log_check::{event_details, links, page};
use crate::error::{Fault, FaultKind};
use crate::model::reason::commitment_to_halt;
use crate::model::{Head, Record};
use crate::ports::{LeafRow, Store};
use crate::query::trail::{Trail, TrailEntry, difference, entry_of};

/// LIMIT: leaves that are read at once in search of a step of the clock.
const LEAVES_PER_PAGE: u32 = 500;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The first leaf that was checked.
    pub from: u64,
    /// The number of valid leaves.
    pub leaves: u64,
    /// The number of documents that were compared with their leaves.
    pub documents: u64,
    /// The hash of the last valid leaf.
    pub hash: Hash,
    /// The first problem.
    pub problem: Option<Problem>,
}

impl From<Checked> for api::LogCheckReport {
    fn from(checked: Checked) -> Self {
        let is_of_trail = checked.problem.as_ref().is_some_and(|problem| problem.is_of_trail);
        let (first_bad, problem) = checked.problem.map(|problem| (problem.n, problem.what)).unzip();
        Self {
            intact: problem.is_none(),
            from: checked.from,
            leaves: checked.leaves,
            documents: checked.documents,
            hash: checked.hash.to_string(),
            first_bad,
            problem,
            is_of_trail,
        }
    }
}

/// A problem in the log or in the stored data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The index of the leaf.
    pub n: u64,
    /// The description.
    pub what: String,
    /// `true` if a trail and the log differ, which means that one of them was changed.
    pub is_of_trail: bool,
}

impl Problem {
    pub(super) fn new(n: u64, what: impl Into<String>) -> Self {
        Self { n, what: what.into(), is_of_trail: false }
    }

    pub(super) fn of_trail(n: u64, what: impl Into<String>) -> Self {
        Self { is_of_trail: true, ..Self::new(n, what) }
    }
}

/// Checks the log of a project from a leaf on, and compares a trail with it. Reports its progress
/// as the next leaf and the number of leaves.
///
/// # Errors
///
/// Fails only if the store does. Problems in the log are part of the result.
pub async fn check(
    store: &dyn Store,
    project: ProjectId,
    from: u64,
    trail: &Trail,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Checked, Fault> {
    let mut walk = Walk::new(store, project, from, trail);
    let ended = match (trail.first_out_of_order(), walk.begin().await?) {
        (None, Ok(())) => walk.run(progress).await?,
        (Some(n), _) => Err(Problem::of_trail(n, "duplicate or misplaced entry in the trail")),
        (None, Err(problem)) => Err(problem),
    };
    Ok(Checked {
        from,
        leaves: walk.next - from,
        documents: walk.documents,
        hash: walk.chain.hash(),
        problem: ended.err(),
    })
}

struct Walk<'a> {
    store: &'a dyn Store,
    project: ProjectId,
    from: u64,
    next: u64,
    chain: Chain,
    documents: u64,
    last_of_handoff: HashMap<HandoffId, u64>,
    histories: HashMap<HandoffId, History>,
    /// Handoffs with a broken link further on. Their documents cannot be found, so the walk
    /// continues until the first problem is known.
    unlinked: HashMap<HandoffId, Problem>,
    /// Claims and offers that began at the time of no leaf of theirs, with the problem that it is
    /// unless the clock was set back to it.
    moved: HashMap<HandoffId, (Timestamp, Problem)>,
    /// The times to which the clock was set back.
    steps_back: Vec<Timestamp>,
    policy: Policy,
    refs: DirectoryRefs,
    trail: &'a Trail,
    /// The trail entries that are not compared yet.
    entries: BTreeMap<u64, &'a TrailEntry>,
    last_in_trail: Option<u64>,
    handoff_of_trail: Option<HandoffId>,
    last_row: Option<LeafRow>,
}

/// Success or the first problem; a fault if the store fails.
type Step = Result<Result<(), Problem>, Fault>;

impl<'a> Walk<'a> {
    fn new(store: &'a dyn Store, project: ProjectId, from: u64, trail: &'a Trail) -> Self {
        Self {
            store,
            project,
            from,
            next: from,
            chain: Chain::default(),
            documents: 0,
            last_of_handoff: HashMap::new(),
            histories: HashMap::new(),
            unlinked: HashMap::new(),
            moved: HashMap::new(),
            steps_back: Vec::new(),
            policy: Policy::default(),
            refs: DirectoryRefs::default(),
            trail,
            entries: trail.entries.iter().map(|entry| (entry.n, entry)).collect(),
            last_in_trail: None,
            handoff_of_trail: None,
            last_row: None,
        }
    }

    /// Reads the leaf before the first one, which the first one must link to.
    async fn begin(&mut self) -> Step {
        let Some(before) = self.from.checked_sub(1) else { return Ok(Ok(())) };
        let (rows, problem) = page::read(self.store, self.project, before, self.from).await?;
        let Some(row) = rows.into_iter().next() else {
            return Ok(problem.map_or(Ok(()), Err));
        };
        Ok(match Chain::behind(row.leaf.as_bytes()) {
            Ok(chain) => {
                self.chain = chain;
                self.last_row = Some(row);
                Ok(())
            }
            Err(error) => Err(Problem::new(before, error.to_string())),
        })
    }

    async fn run(&mut self, progress: &mut dyn FnMut(u64, u64)) -> Step {
        loop {
            let head = self.head().await?;
            while self.next < head.leaves {
                if let Err(problem) = self.page(head.leaves).await? {
                    return Ok(Err(problem));
                }
                progress(self.next, head.leaves);
            }
            let records = self.store.directory(self.project).await?;
            let behind = self.store.leaves(self.project, self.next, 1).await?;
            let now = self.head().await?;
            // A concurrent write made the directory newer than the leaves that were checked.
            if now.leaves > self.next {
                continue;
            }
            let ended = self.end_of_log(&now, behind.first());
            if self.from > 0 && self.misdated().is_some() {
                self.find_earlier_steps_back().await?;
            }
            return Ok(ended.and_then(|()| self.finish(&now, &records)));
        }
    }

    async fn head(&self) -> Result<Head, Fault> {
        let gone = || Fault::new(FaultKind::StoreUnavailable, "the project no longer exists");
        self.store.head(self.project).await?.ok_or_else(gone)
    }

    async fn page(&mut self, end: u64) -> Step {
        let (rows, problem) = page::read(self.store, self.project, self.next, end).await?;
        for (at, row) in rows.iter().enumerate() {
            if let Err(problem) = self.leaf(row, rows.get(at + 1)).await? {
                return Ok(Err(problem));
            }
            self.next = row.n + 1;
        }
        self.last_row = rows.into_iter().next_back().or(self.last_row.take());
        Ok(problem.map_or(Ok(()), Err))
    }

    async fn leaf(&mut self, row: &LeafRow, behind: Option<&LeafRow>) -> Step {
        let leaf = match self.chain.push(row.leaf.as_bytes()) {
            Ok(leaf) => leaf,
            Err(broken) => return Ok(Err(self.culprit(row, behind, broken.reason).await?)),
        };
        let event = self.columns(row, &leaf).and_then(|event| {
            self.compare_trail(&leaf)?;
            Ok(event)
        });
        let event = match event {
            Ok(event) => event,
            Err(problem) => return Ok(Err(problem)),
        };
        self.policy.take(&leaf);
        self.clock(&leaf);
        if !event_details::names_actor(&leaf, &event, &mut self.refs) {
            return Ok(Err(Problem::new(row.n, "its event has another actor")));
        }
        match leaf.subject {
            Some(subject) => self.subject(&leaf, &subject, &event).await,
            None if !event_details::has_no_handoff_details(&leaf, &event) => Ok(Err(Problem::new(
                row.n,
                "its event has details of a handoff, but the leaf is not about one",
            ))),
            None => self.reason_of_halt(&leaf, event.reason.as_deref()).await,
        }
    }

    /// Follows the clock, which an operator may set back.
    fn clock(&mut self, leaf: &Leaf) {
        let is_back = match (leaf.attributes.get("from"), leaf.attributes.get("until")) {
            (Some(Attribute::Instant(from)), Some(Attribute::Instant(until))) => until < from,
            _ => false,
        };
        if leaf.event == EventType::ClockStepped && is_back {
            self.steps_back.push(leaf.time);
        }
    }

    /// Checks the reason of a halt against the commitment in its leaf, if it has one.
    async fn reason_of_halt(&self, leaf: &Leaf, stated: Option<&str>) -> Step {
        let (Some(Attribute::Hash(committed)), Some(Attribute::Integer(epoch))) =
            (leaf.attributes.get("reason"), leaf.attributes.get("epoch"))
        else {
            return Ok(Ok(()));
        };
        let head = self.head().await?;
        let is_match =
            stated.is_some_and(|text| commitment_to_halt(&head, *epoch, text) == *committed);
        let wrong =
            || Problem::new(leaf.number, "the reason of its event differs from the commitment");
        Ok(if is_match { Ok(()) } else { Err(wrong()) })
    }

    /// Returns the leaf to blame for a broken link: the previous one, if this one matches the next.
    async fn culprit(
        &self,
        row: &LeafRow,
        behind: Option<&LeafRow>,
        reason: String,
    ) -> Result<Problem, Fault> {
        let Ok(leaf) = Leaf::read(row.leaf.as_bytes()) else {
            return Ok(Problem::new(row.n, reason));
        };
        let own = Hash::of_leaf(row.leaf.as_bytes());
        let is_good = match behind.map(|behind| Leaf::read(behind.leaf.as_bytes())) {
            Some(Ok(behind)) => behind.previous == own,
            Some(Err(_)) => false,
            None => self.head().await?.last_hash == own,
        };
        let is_link = leaf.previous != self.chain.hash() && leaf.index == row.n && row.n > 0;
        Ok(if is_good && is_link {
            Problem::new(row.n - 1, "its hash does not match the next leaf")
        } else {
            Problem::new(row.n, reason)
        })
    }

    /// Checks the columns of a row against its leaf.
    fn columns(&self, row: &LeafRow, leaf: &Leaf) -> Result<api::Event, Problem> {
        let wrong =
            |what: &str| Err(Problem::new(row.n, format!("stored {what} differs from the leaf")));
        let handoff = leaf.subject.map(|subject| subject.handoff);
        let previous = leaf.subject.and_then(|subject| subject.previous);
        match () {
            () if leaf.project != self.project => wrong("project"),
            () if leaf.number != row.n => wrong("number"),
            () if leaf.time != row.at => wrong("time"),
            () if leaf.event != row.kind => wrong("type"),
            () if handoff != row.handoff => wrong("handoff"),
            () if previous != row.previous => wrong("previous leaf"),
            () => {
                crate::query::events::event(row).map_err(|fault| Problem::new(row.n, fault.message))
            }
        }
    }

    fn compare_trail(&mut self, leaf: &Leaf) -> Result<(), Problem> {
        let Some(entry) = self.entries.remove(&leaf.index) else { return Ok(()) };
        let n = leaf.index;
        if let Some(what) = difference(entry, &entry_of(leaf, self.chain.hash())) {
            return Err(Problem::of_trail(n, what));
        }
        if !self.trail.is_of(leaf, &mut self.handoff_of_trail) {
            return Err(Problem::of_trail(n, "the trail belongs to another handoff"));
        }
        let before = leaf.subject.and_then(|subject| subject.previous);
        let expected = self.last_in_trail.replace(leaf.number);
        if before == expected || expected.is_none() && self.from > 0 {
            return Ok(());
        }
        let missing = before.map_or("none".to_owned(), |n| n.to_string());
        let what = format!("the trail omits the previous leaf of the handoff: {missing}");
        Err(Problem::of_trail(n, what))
    }

    async fn subject(&mut self, leaf: &Leaf, subject: &Subject, event: &api::Event) -> Step {
        let id = subject.handoff;
        let known = self.last_of_handoff.insert(id, leaf.number);
        // A handoff that changed after it had been checked is checked again.
        let is_new = subject.previous.is_some() && !self.histories.contains_key(&id);
        let earlier = if is_new && (known.is_some() || self.from > 0) {
            self.leaves_before(id, leaf.number).await?
        } else {
            Vec::new()
        };
        let last = known.or_else(|| earlier.last().map(|leaf| leaf.number));
        if let Err(broken) = names_last_of_handoff(leaf, last) {
            let problem = Problem::new(leaf.number, broken.reason);
            return self.broken_link_or(problem, id).await;
        }
        if self.unlinked.contains_key(&id) {
            return Ok(Ok(()));
        }
        let mut history = match self.history(id, leaf.number).await? {
            Ok(history) => history,
            Err(problem) => return Ok(Err(problem)),
        };
        for leaf in &earlier {
            history.apply_unchecked(leaf);
        }
        if let Err(problem) = history.take(leaf, subject, event, &mut self.refs) {
            return self.broken_link_or(problem, id).await;
        }
        if leaf.number == history.last_n {
            self.documents += history.documents();
            self.moved.remove(&id);
            self.moved.extend(history.moved().map(|moved| (id, moved)));
            return Ok(history.finish(leaf, subject, event, &mut self.refs));
        }
        self.histories.insert(id, history);
        Ok(Ok(()))
    }

    /// Prefers the broken link over a problem that it may have caused.
    async fn broken_link_or(&mut self, problem: Problem, id: HandoffId) -> Step {
        match links::broken(self.store, self.project, id).await? {
            None => Ok(Err(problem)),
            // The walk is past this link, so it is the first problem.
            Some(link) if link.n <= problem.n => Ok(Err(link)),
            Some(link) => {
                self.unlinked.insert(id, link);
                Ok(Ok(()))
            }
        }
    }

    /// Returns the leaves of a handoff before this one.
    async fn leaves_before(&self, id: HandoffId, n: u64) -> Result<Vec<Leaf>, Fault> {
        let rows = self.store.leaves_of(self.project, id).await?;
        let before = rows.iter().filter(|row| row.n < n);
        Ok(before.filter_map(|row| Leaf::read(row.leaf.as_bytes()).ok()).collect())
    }

    async fn history(&mut self, id: HandoffId, n: u64) -> Result<Result<History, Problem>, Fault> {
        let known = self.histories.remove(&id);
        match known {
            Some(known) if known.last_n >= n => Ok(Ok(known)),
            stale => self.load(id, n, stale).await,
        }
    }

    /// Loads a handoff, carrying over earlier results.
    async fn load(
        &self,
        id: HandoffId,
        n: u64,
        before: Option<History>,
    ) -> Result<Result<History, Problem>, Fault> {
        let mut loaded = match History::load(self.store, self.project, id, n).await? {
            Ok(loaded) => loaded,
            Err(problem) => return Ok(Err(problem)),
        };
        if let Some(before) = &before {
            loaded.carry_over(before);
        }
        if loaded.last_n < n {
            let what = format!("the handoff has {} as its last leaf", loaded.last_n);
            return Ok(Err(Problem::new(n, what)));
        }
        Ok(Ok(loaded))
    }

    /// Checks the last leaf against the head of the log, and that no leaf follows it.
    fn end_of_log(&self, head: &Head, behind: Option<&LeafRow>) -> Result<(), Problem> {
        let wrong = |what: &str| Err(Problem::new(head.leaves.saturating_sub(1), what));
        if let Some(link) = self.unlinked.values().min_by_key(|link| link.n) {
            return Err(link.clone());
        }
        if head.last_hash != self.chain.hash() && self.next > 0 {
            return wrong("its hash differs from the head of the log");
        }
        if self.last_row.as_ref().is_some_and(|row| row.at != head.last_at) {
            return wrong("its time differs from the head of the log");
        }
        let lies_behind = "the leaf is beyond the end in the head of the log";
        behind.map_or(Ok(()), |row| Err(Problem::new(row.n, lies_behind)))
    }

    /// Reads the leaves before the first one that is checked, for a clock that was set back there.
    async fn find_earlier_steps_back(&mut self) -> Result<(), Fault> {
        let mut next = 0;
        while next < self.from {
            let rows = self.store.leaves(self.project, next, LEAVES_PER_PAGE).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            next = last.n + 1;
            let steps = rows.iter().filter(|row| row.kind == EventType::ClockStepped);
            for leaf in steps.filter_map(|row| Leaf::read(row.leaf.as_bytes()).ok()) {
                self.clock(&leaf);
            }
        }
        Ok(())
    }

    /// Returns the first claim or offer that began at the time of no leaf, although the clock was
    /// not set back to it.
    fn misdated(&self) -> Option<Problem> {
        let is_explained = |(began, _): &&(Timestamp, Problem)| self.steps_back.contains(began);
        let misdated = self.moved.values().filter(|moved| !is_explained(moved));
        misdated.map(|(_, problem)| problem.clone()).min_by_key(|problem| problem.n)
    }

    /// Runs the checks that need the whole log.
    fn finish(&mut self, head: &Head, records: &[Record]) -> Result<(), Problem> {
        let last = head.leaves.saturating_sub(1);
        let wrong = |what: String| Err(Problem::new(last, what));
        let unfinished = self.histories.iter().min_by_key(|(_, history)| history.last_n);
        if let Some((id, history)) = unfinished {
            let n = history.last_n;
            return wrong(format!("{id} has {n} as its last leaf, which does not exist"));
        }
        if let Some((n, _)) = self.entries.iter().find(|(n, _)| **n >= self.from) {
            return Err(Problem::of_trail(*n, "the trail has a leaf that is not in the log"));
        }
        let is_whole = self.from == 0;
        if let Some(what) = self.policy.difference(head, is_whole) {
            return wrong(what);
        }
        let policy = self.policy.compare(records, head).filter(|_| is_whole);
        let refs = self.refs.compare(records);
        match policy.into_iter().chain(refs).chain(self.misdated()).min_by_key(|problem| problem.n)
        {
            Some(problem) => Err(problem),
            None => Ok(()),
        }
    }
}
