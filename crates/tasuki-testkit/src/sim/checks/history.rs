//! The state of every handoff, derived from the log leaf by leaf, without the engine.
//!
//! For every handoff: its end, its holder and fence, its revision and, in `approvals`, who approved
//! it. A leaf that must not follow the ones before it is a violation.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use tasuki_engine::model::{Directory, Pause, StateWord};
use tasuki_engine::ports::LeafRow;
use tasuki_engine::steps::RecordRestore;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::{ActorKind, Attribute, EventType, Hash, Leaf, Subject};

use super::absences::Absences;
use super::approvals::{ApprovalContext, Approvals};
use super::attributes::{id, instant, integer, words};
use super::reviews::Reviews;

/// A violated invariant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The violated rule, in a few words.
    pub rule: &'static str,
    /// The finding.
    pub found: String,
}

pub(crate) type Checked = Result<(), Violation>;

/// Checks one condition.
pub(crate) fn must(is_met: bool, rule: &'static str, found: impl FnOnce() -> String) -> Checked {
    if is_met { Ok(()) } else { Err(Violation { rule, found: found() }) }
}

/// The log so far, and the state derived from it.
#[derive(Debug, Clone)]
pub(crate) struct History {
    pub leaves: Vec<LeafRow>,
    pub handoffs: BTreeMap<HandoffId, LoggedHandoff>,
    pub is_halted: bool,
    pub halts: Vec<Pause>,
    /// The decisions of people about tasks.
    pub reviews: Reviews,
    /// The people who are away.
    pub absences: Absences,
    /// Every fence that was issued, including those lost in a restore.
    issued: BTreeSet<(HandoffId, u64)>,
    /// All new fences are larger than this; a restore raises it.
    fence_floor: u64,
    /// The end of the log after a restore, until the log records it.
    cut: Option<(u64, Hash)>,
    last_hash: Hash,
    last_at: Timestamp,
}

/// The state of one handoff, according to the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct LoggedHandoff {
    pub is_begun: bool,
    /// The numbers of its leaves.
    pub numbers: Vec<u64>,
    /// The highest issued fence.
    pub fence: u64,
    /// The next fence is larger than this too.
    fence_floor: u64,
    /// The fence of the live claim, if there is one.
    pub live: Option<u64>,
    /// The earliest end of its lease.
    until: Option<Timestamp>,
    /// The length of its lease.
    lease: SignedDuration,
    /// `true` while the holder waits for approval.
    pub awaits_approval: bool,
    /// The party that returned it last.
    pub returned_by: Option<PartyId>,
    /// The time before which a handoff that was just parked must not be claimed.
    not_before: Option<Timestamp>,
    /// The final state.
    pub end: Option<StateWord>,
    pub revision: u64,
    /// Its approvals.
    pub approvals: Approvals,
    /// The events with a recorded notification failure.
    undeliverable: Vec<u64>,
}

impl History {
    pub(crate) fn new() -> Self {
        Self {
            leaves: Vec::new(),
            handoffs: BTreeMap::new(),
            is_halted: false,
            halts: Vec::new(),
            reviews: Reviews::default(),
            absences: Absences::default(),
            issued: BTreeSet::new(),
            fence_floor: 0,
            cut: None,
            last_hash: Hash::ZERO,
            last_at: Timestamp::MIN,
        }
    }

    pub(crate) fn handoff(&self, id: HandoffId) -> Option<&LoggedHandoff> {
        self.handoffs.get(&id)
    }

    /// Returns the number of handoffs with this end, or without one.
    pub(crate) fn count(&self, end: Option<StateWord>) -> usize {
        self.handoffs.values().filter(|logged| logged.end == end).count()
    }

    /// Applies the next leaf of the log.
    pub(crate) fn follow(
        &mut self,
        row: LeafRow,
        directory: &Directory,
    ) -> Result<Leaf, Violation> {
        const RULE: &str = "the log has no gap and is in order";
        let bytes = row.leaf.as_bytes();
        let leaf = Leaf::read(bytes)
            .map_err(|error| Violation { rule: RULE, found: format!("leaf {}: {error}", row.n) })?;
        let n = self.leaves.len() as u64;
        let describe = |what: &str| format!("leaf {n}, {}: {what}", leaf.event.name());
        must(row.n == n && leaf.number == n && leaf.index == n, RULE, || describe("wrong number"))?;
        must(leaf.previous == self.last_hash, RULE, || describe("wrong previous hash"))?;
        let is_earlier = leaf.time < self.last_at && !self.is_reset(&leaf);
        must(!is_earlier, RULE, || describe("earlier than the previous leaf"))?;
        if leaf.time < self.last_at {
            self.set_back(leaf.time);
        }
        let is_same = row.at == leaf.time
            && row.kind == leaf.event
            && row.handoff == leaf.subject.map(|subject| subject.handoff);
        must(is_same, RULE, || describe("row and leaf differ"))?;
        self.halt(&leaf)?;
        self.resume(&leaf);
        self.restore(&leaf)?;
        if let Some(subject) = leaf.subject {
            self.apply(&leaf, subject, directory)?;
        }
        self.last_hash = Hash::of_leaf(bytes);
        self.last_at = leaf.time;
        self.leaves.push(row);
        Ok(leaf)
    }

    /// Returns `true` if the operator set the time back, and the leaf states both times.
    fn is_reset(&self, leaf: &Leaf) -> bool {
        leaf.event == EventType::ClockStepped
            && leaf.actor.kind == ActorKind::Human
            && instant(leaf, "from") == Some(self.last_at)
            && instant(leaf, "until") == Some(leaf.time)
    }

    /// Lets the leases that began in the future begin now.
    fn set_back(&mut self, now: Timestamp) {
        for logged in self.handoffs.values_mut() {
            logged.until = logged.until.map(|until| until.min(now + logged.lease));
        }
    }

    /// Checks that a halted project has no claims, returns or pass-ons, and that its clock is
    /// stopped.
    fn halt(&mut self, leaf: &Leaf) -> Checked {
        let is_forbidden = match leaf.event {
            EventType::ProjectHalted => {
                self.is_halted = true;
                self.halts.push(Pause { from: leaf.time, until: None });
                false
            }
            EventType::ProjectLifted => {
                self.is_halted = false;
                self.halts.last_mut().expect("it was halted").until = Some(leaf.time);
                false
            }
            EventType::Claimed | EventType::Begun | EventType::Intercepted => true,
            EventType::Adopted => true,
            EventType::Returned | EventType::PassedOn | EventType::Lapsed => true,
            EventType::NotificationFailed => true,
            EventType::Submitted => leaf.attributes.get("parent").is_some(),
            _ => false,
        };
        must(!(self.is_halted && is_forbidden), "a halt stops everything", || {
            format!("leaf {}, {}", leaf.number, leaf.event.name())
        })
    }

    /// Extends the leases that were live when an outage began by its length.
    fn resume(&mut self, leaf: &Leaf) {
        let away = instant(leaf, "from").zip(instant(leaf, "until"));
        let Some((from, until)) = away.filter(|_| leaf.event == EventType::OutageRecorded) else {
            return;
        };
        for logged in self.handoffs.values_mut() {
            let live = logged.until.filter(|end| *end > from);
            logged.until = live.map(|end| end + until.duration_since(from)).or(logged.until);
        }
    }

    /// Goes back to the log of a backup. Returns its end. Issued fences are not forgotten.
    pub(crate) fn roll_back_to(&mut self, kept: &Self) -> RecordRestore {
        let issued = std::mem::take(&mut self.issued);
        let cut = (kept.leaves.len() as u64 - 1, kept.last_hash);
        *self = Self { issued, cut: Some(cut), ..kept.clone() };
        RecordRestore { last: cut.0, hash: cut.1 }
    }

    /// Checks that a restore names the last leaf of the backup, though deadlines may have been
    /// applied first. From then on fences are larger than any of the lost ones.
    fn restore(&mut self, leaf: &Leaf) -> Checked {
        if leaf.event != EventType::LogRestored {
            return Ok(());
        }
        let is_named = self.cut.take().is_some_and(|(last, hash)| {
            integer(leaf, "last") == Some(last)
                && leaf.attributes.get("hash") == Some(&Attribute::Hash(hash))
        });
        must(is_named, "a restore records where the log was truncated", || format!("{leaf:?}"))?;
        self.fence_floor = u64::try_from(leaf.time.as_microsecond()).unwrap_or(0);
        Ok(())
    }

    fn apply(&mut self, leaf: &Leaf, subject: Subject, directory: &Directory) -> Checked {
        let is_first = matches!(leaf.event, EventType::Begun | EventType::Submitted);
        let is_new = !self.handoffs.contains_key(&subject.handoff);
        let describe = |what: &str| {
            format!("leaf {}, {} of {}: {what}", leaf.number, leaf.event.name(), subject.handoff)
        };
        let rule = "a handoff has one first event";
        must(is_first == is_new, rule, || describe("not its first event"))?;
        let parent = id(leaf, "parent").and_then(|parent| self.handoffs.get_mut(&parent));
        if let Some(parent) = parent {
            parent.approvals.pass_on();
        }
        let halts = self.halts.len();
        let logged = self.handoffs.entry(subject.handoff).or_default();
        let rule = "the back-links are the handoff's history";
        must(subject.previous == logged.numbers.last().copied(), rule, || {
            describe(&format!(
                "it links to {:?}, expected {:?}",
                subject.previous,
                logged.numbers.last()
            ))
        })?;
        logged.numbers.push(leaf.number);
        logged.fence_floor = self.fence_floor;
        let context = ApprovalContext { directory, halts, awaits_approval: logged.awaits_approval };
        logged.apply(leaf, subject, context, &describe)?;
        let is_claim = matches!(
            leaf.event,
            EventType::Claimed | EventType::Begun | EventType::Intercepted | EventType::Adopted
        );
        let is_new = !is_claim || self.issued.insert((subject.handoff, logged.fence));
        must(is_new, "no fence is issued twice", || describe(&logged.fence.to_string()))
    }
}

impl LoggedHandoff {
    fn apply(
        &mut self,
        leaf: &Leaf,
        subject: Subject,
        context: ApprovalContext<'_>,
        describe: &dyn Fn(&str) -> String,
    ) -> Checked {
        let event = leaf.event;
        let rule = "an ended handoff stays ended";
        let revives = matches!(event, EventType::Redriven | EventType::Discarded);
        let may_be = match self.end {
            None => !revives,
            Some(StateWord::Dead) => revives,
            Some(_) => false,
        };
        must(may_be, rule, || describe(&format!("it ended as {:?}", self.end)))?;
        self.follow_revision(event, subject, describe)?;
        self.follow_fence(leaf, describe)?;
        self.follow_work(leaf, describe)?;
        self.follow_approvals(leaf, subject, context, describe)?;
        match event {
            EventType::Begun => self.is_begun = true,
            EventType::NotificationFailed => self.follow_undeliverable(leaf, describe)?,
            EventType::Held => self.awaits_approval = words(leaf, "reasons") == ["action"],
            EventType::Accepted | EventType::Withdrawn => self.awaits_approval = false,
            EventType::Rejected if self.awaits_approval => self.awaits_approval = false,
            EventType::Rejected => self.end = Some(StateWord::Rejected),
            EventType::Done => self.end = Some(StateWord::Done),
            EventType::PassedOn => self.end = Some(StateWord::PassedOn),
            EventType::Cancelled => self.end = Some(StateWord::Cancelled),
            EventType::Died => self.end = Some(StateWord::Dead),
            EventType::Discarded => self.end = Some(StateWord::Discarded),
            EventType::Redriven => self.end = None,
            _ => {}
        }
        if self.end.is_some() {
            self.live = None;
        }
        self.awaits_approval &= self.live.is_some();
        Ok(())
    }

    /// Checks that no claim precedes the approval it needs.
    fn follow_approvals(
        &mut self,
        leaf: &Leaf,
        subject: Subject,
        context: ApprovalContext<'_>,
        describe: &dyn Fn(&str) -> String,
    ) -> Checked {
        let is_claim = leaf.event == EventType::Claimed;
        let may_be = !is_claim || self.approvals.is_granted(context.directory, subject.revision);
        must(may_be, "approvals never outlive a revision", || {
            describe(&format!("{:?}", self.approvals))
        })?;
        self.approvals.follow(leaf, subject, context);
        Ok(())
    }

    /// Checks that no holder verifies its own return and that no one claims parked work early.
    fn follow_work(&mut self, leaf: &Leaf, describe: &dyn Fn(&str) -> String) -> Checked {
        match leaf.event {
            EventType::Returned => self.returned_by = leaf.actor.party,
            EventType::Verified | EventType::FailedVerification => {
                let is_own = leaf.actor.party.is_some() && leaf.actor.party == self.returned_by;
                must(!is_own, "no one verifies their own return", || {
                    describe("its holder verified it")
                })?;
            }
            EventType::Claimed => {
                let is_early = self.not_before.is_some_and(|instant| leaf.time < instant);
                must(!is_early, "parked work is not claimed early", || {
                    describe(&format!("{:?}", self.not_before))
                })?;
            }
            _ => {}
        }
        if let Some(until) = instant(leaf, "until") {
            self.until = Some(until);
            self.lease = until.duration_since(leaf.time);
        }
        self.not_before = instant(leaf, "not_before");
        Ok(())
    }

    /// Checks that a notification failure is recorded once per event of the handoff.
    fn follow_undeliverable(&mut self, leaf: &Leaf, describe: &dyn Fn(&str) -> String) -> Checked {
        let event = integer(leaf, "event").unwrap_or_default();
        let is_own = self.numbers.contains(&event) && event < leaf.number;
        let is_new = self.undeliverable.last().is_none_or(|last| *last < event);
        must(is_own && is_new, "a notification failure is recorded once", || {
            describe(&format!("event {event}"))
        })?;
        self.undeliverable.push(event);
        Ok(())
    }

    /// Checks that only an event that makes a revision changes it.
    fn follow_revision(
        &mut self,
        event: EventType,
        subject: Subject,
        describe: &dyn Fn(&str) -> String,
    ) -> Checked {
        let makes_one = match event {
            EventType::Begun | EventType::Submitted => true,
            EventType::Revised => true,
            EventType::Edited | EventType::Answered => !self.awaits_approval,
            _ => false,
        };
        self.revision += u64::from(makes_one);
        let rule = "revisions grow by one, by an event that makes one";
        must(subject.revision == self.revision, rule, || {
            describe(&format!("revision {}, expected {}", subject.revision, self.revision))
        })
    }

    /// Checks that fences only grow, and that a holder acts with the newest one.
    fn follow_fence(&mut self, leaf: &Leaf, describe: &dyn Fn(&str) -> String) -> Checked {
        const RULE: &str = "no stale fence is ever accepted";
        let fence = integer(leaf, "fence");
        let is_live = |fence: Option<u64>, logged: &Self| fence.is_some() && fence == logged.live;
        let state = || format!("fence {fence:?}, live {:?}, highest {}", self.live, self.fence);
        // The id of a begun handoff was unknown during the time that a restore lost.
        let is_begun = leaf.event == EventType::Begun;
        let next = if is_begun { 1 } else { self.fence.max(self.fence_floor) + 1 };
        match leaf.event {
            EventType::Claimed | EventType::Begun => {
                must(self.live.is_none(), "at most one live claim", || describe(&state()))?;
                must(fence == Some(next), RULE, || describe(&state()))?;
                self.fence = next;
                self.live = fence;
            }
            EventType::Intercepted => {
                must(fence == Some(next), RULE, || describe(&state()))?;
                self.fence = next;
                self.live = fence;
                self.awaits_approval = false;
            }
            EventType::Adopted => {
                must(self.live.is_some(), "only a live claim is adopted", || describe(&state()))?;
                must(fence == Some(next), RULE, || describe(&state()))?;
                self.fence = next;
                self.live = fence;
            }
            EventType::Checkpointed => must(is_live(fence, self), RULE, || describe(&state()))?,
            EventType::Released | EventType::Lapsed | EventType::Returned => {
                must(is_live(fence, self), RULE, || describe(&state()))?;
                let is_over = self.until.is_none_or(|until| until <= leaf.time);
                let is_early = leaf.event == EventType::Lapsed && !is_over;
                must(!is_early, "no lease expires early", || {
                    describe(&format!("{:?}", self.until))
                })?;
                self.live = None;
            }
            EventType::Parked | EventType::PassedOn => {
                must(self.live.is_some(), RULE, || describe(&state()))?;
                self.live = None;
            }
            EventType::Rerouted | EventType::MovedOn => self.live = None,
            _ => {}
        }
        Ok(())
    }
}
