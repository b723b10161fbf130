//! Batches of valid writes, chosen by a seed.
//!
//! Valid means that the rules of the engine hold: a task has at most one live handoff, and at most
//! one open handoff has a fingerprint. A store may rely on both.

use std::sync::Arc;

use serde_json::json;
use tasuki_engine::model::{
    ContractRecord, DocumentKind, GateRecord, Handoff, IdempotencyKey, IdempotencyRecord, Party,
    PartyKind, Record, RiskWord, Settings, State, StateWord,
};
use tasuki_engine::ports::WriteSet;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::EventType;

use crate::random::Random;
use crate::samples::{self, Log, at, party};

/// The names of senders, receivers, holders and verifiers.
pub(super) const PARTIES: [&str; 4] = ["ana", "ben", "cia", "role"];
/// The words of documents and reasons.
pub(super) const WORDS: [&str; 8] =
    ["ship", "shipping", "Übergabe", "test", "tests", "cart", "引き継ぎ", "quota"];
/// The number of different tasks, fingerprints and keys; few enough to collide.
pub(super) const NAMES: u64 = 12;

/// Chooses the next writes, based on the previous ones.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) random: Random,
    pub(super) handoffs: Vec<Handoff>,
    document_count: u32,
}

impl Writer {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), handoffs: Vec::new(), document_count: 0 }
    }

    /// Returns a few changes to be committed together.
    pub(super) fn batch(&mut self, log: &mut Log) -> Vec<WriteSet> {
        let count = 1 + self.random.below(5);
        (0..count).map(|_| self.change(log)).collect()
    }

    fn change(&mut self, log: &mut Log) -> WriteSet {
        let mut written = match self.random.below(10) {
            0..4 => self.submit(log),
            4..8 => self.step(log),
            8 => self.record(log),
            _ => WriteSet::default(),
        };
        if self.random.chance(20) {
            written.remembered = Some(Box::new((self.key(), self.remembered())));
        }
        written
    }

    /// Adds a handoff, sometimes as the child of another.
    fn submit(&mut self, log: &mut Log) -> WriteSet {
        let number = u32::try_from(self.handoffs.len()).expect("a short run") + 1;
        let mut handoff = samples::handoff_numbered(number, *self.random.pick(&StateWord::ALL));
        let is_begun = self.random.chance(20);
        let (sender, receiver) = (self.party(), self.party());
        let facts = handoff.facts_mut();
        facts.is_begun = is_begun;
        facts.sender = sender;
        facts.receiver = receiver;
        self.vary(&mut handoff);
        if !self.is_valid(&handoff) {
            handoff.progress.state = State::Cancelled;
        }
        let mut written = log.submitted(handoff.clone());
        self.handoffs.push(handoff);
        if handoff_is_open(self.handoffs.last()) && self.random.chance(30) {
            self.adopt(log, &mut written);
        }
        self.garnish(log, &mut written);
        written
    }

    /// Makes the newest handoff the child of a claimed one.
    fn adopt(&mut self, log: &mut Log, written: &mut WriteSet) {
        let child_place = self.handoffs.len() - 1;
        let is_parent = |handoff: &Handoff| {
            handoff.progress.state.word() == StateWord::Claimed && handoff.progress.child.is_none()
        };
        let Some(place) = self.handoffs[..child_place].iter().position(is_parent) else { return };
        let (parent, child) = (self.handoffs[place].id, self.handoffs[child_place].id);
        self.handoffs[child_place].facts_mut().parent = Some(parent);
        self.handoffs[child_place].progress.last_n = written.handoffs[0].handoff.progress.last_n;
        written.handoffs[0].handoff = Arc::new(self.handoffs[child_place].clone());
        self.handoffs[place].progress.child = Some(child);
        let changed = log.changed(self.handoffs[place].clone(), EventType::Started);
        written.handoffs.extend(changed.handoffs);
        written.leaves.extend(changed.leaves);
    }

    /// Changes the state of an existing handoff.
    fn step(&mut self, log: &mut Log) -> WriteSet {
        if self.handoffs.is_empty() {
            return self.submit(log);
        }
        let place = self.random.index(self.handoffs.len());
        let mut handoff = self.handoffs[place].clone();
        let number = u32::try_from(place).expect("a short run") + 1;
        handoff.progress.state = samples::state(number, *self.random.pick(&StateWord::ALL));
        handoff.progress.child = handoff.progress.child.filter(|_| handoff_is_open(Some(&handoff)));
        if self.random.chance(30) {
            self.vary(&mut handoff);
        }
        if !self.is_valid(&handoff) {
            handoff.progress.state = State::Dead;
            handoff.progress.child = None;
        }
        let mut written = log.changed(handoff.clone(), EventType::Started);
        written.handoffs[0].has_new_facts = handoff.facts != self.handoffs[place].facts;
        self.handoffs[place] = handoff;
        self.garnish(log, &mut written);
        written
    }

    /// Changes the facts: task, fingerprint, risk, holder, verifier, and the times that lists sort
    /// by.
    fn vary(&mut self, handoff: &mut Handoff) {
        let risks = [RiskWord::Low, RiskWord::Medium, RiskWord::High];
        let (task, fingerprint) = (self.name("task"), self.name("fingerprint"));
        let (holder, judge) = (self.party(), self.party());
        let epoch = self.random.below(3);
        let since = self.instant();
        let facts = handoff.facts_mut();
        facts.task = task;
        facts.fingerprint = fingerprint;
        facts.terms.risk = *self.random.pick(&risks);
        handoff.progress.progress_at = since;
        handoff.progress.judge = self.random.chance(60).then_some(judge);
        match &mut handoff.progress.state {
            State::Held(hold) => hold.since = since,
            State::Offered(offer) => offer.since = since,
            State::Claimed(claim) => {
                claim.holder = holder;
                claim.epoch = epoch;
                claim.since = since;
            }
            State::Returned(returned) => returned.since = since,
            _ => {}
        }
    }

    fn is_valid(&self, handoff: &Handoff) -> bool {
        let is_live = |one: &Handoff| one.is_open() && one.progress.child.is_none();
        let (facts, others) = (&handoff.facts, self.handoffs.iter());
        others.filter(|other| other.id != handoff.id).all(|other| {
            let shares_task = is_live(handoff) && is_live(other) && other.facts.task == facts.task;
            let shares_print = handoff.is_open()
                && other.is_open()
                && other.facts.fingerprint == facts.fingerprint;
            !shares_task && !shares_print
        })
    }

    /// Adds a due time, a document, or a leaf with a reason.
    fn garnish(&mut self, log: &mut Log, written: &mut WriteSet) {
        if self.random.chance(50) {
            written.handoffs[0].due_at = Some(self.instant());
        }
        let handoff = written.handoffs[0].handoff.clone();
        if self.random.chance(60) {
            self.document_count += 1;
            let kind = *self.random.pick(&DocumentKind::ALL);
            let packet = samples::packet(&self.text());
            let id = self.document_count.to_string();
            let document = samples::document(handoff.id, kind, &id, &packet);
            written.documents.push((written.leaves[0].n, document));
        }
        if self.random.chance(30) {
            let reason = self.text();
            let leaf = log.leaf(EventType::Declined, Some(&handoff), Some(&reason));
            Arc::make_mut(&mut written.handoffs[0].handoff).progress.last_n = leaf.n;
            written.leaves.push(leaf);
        }
    }

    fn record(&mut self, log: &mut Log) -> WriteSet {
        let number = self.random.below(3);
        let record = match self.random.below(4) {
            0 => Record::Party(Party::new(self.party(), self.text(), PartyKind::Agent)),
            1 => Record::Gate(GateRecord { document: json!({ "gate": "g", "number": number }) }),
            2 => Record::Contract(ContractRecord {
                document: json!({ "contract": "c", "version": number.to_string(), "x": self.text() }),
                schemas: [("x".to_owned(), json!(number))].into(),
            }),
            _ => Record::Settings(Settings { hops: 1, ..Settings::default() }),
        };
        log.head.directory_version += 1;
        let leaves = vec![log.leaf(EventType::PartyChanged, None, None)];
        WriteSet { records: vec![record], leaves, ..WriteSet::default() }
    }

    /// Returns a response that does not expire during the run.
    fn remembered(&mut self) -> IdempotencyRecord {
        let until = self.random.chance(50).then(|| at(1_000_000));
        IdempotencyRecord { until, ..samples::remembered(&self.text()) }
    }

    pub(super) fn key(&mut self) -> IdempotencyKey {
        let command = *self.random.pick(&["submit", "claim"]);
        IdempotencyKey { party: self.party(), ..samples::key(command, &self.name("key")) }
    }

    pub(super) fn party(&mut self) -> PartyId {
        party(self.random.pick::<&str>(&PARTIES))
    }

    pub(super) fn name(&mut self, kind: &str) -> String {
        format!("{kind} {}", self.random.below(NAMES))
    }

    pub(super) fn instant(&mut self) -> jiff::Timestamp {
        at(i64::try_from(self.random.below(20)).expect("a small number"))
    }

    pub(super) fn text(&mut self) -> String {
        let count = 1 + self.random.below(4);
        let words: Vec<&str> = (0..count).map(|_| *self.random.pick(&WORDS)).collect();
        words.join(" ")
    }
}

fn handoff_is_open(handoff: Option<&Handoff>) -> bool {
    handoff.is_some_and(Handoff::is_open)
}
