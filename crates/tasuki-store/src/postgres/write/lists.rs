//! The rows of a commit as one list per column, so that one statement writes all rows of a table.

use std::collections::BTreeMap;

use tasuki_engine::error::{Fault, FaultKind};
use tasuki_engine::hmac::key_hash;
use tasuki_engine::model::{Facts, Handoff};
use tasuki_engine::ports::{HandoffRow, WriteSet};

use crate::postgres::connection::Param;
use crate::row::integer;
use crate::row::{HandoffColumns, due_microseconds};

fn json(value: &impl serde::Serialize) -> Result<String, Fault> {
    serde_json::to_string(value)
        .map_err(|error| Fault::new(FaultKind::Bug, format!("cannot serialize to JSON: {error}")))
}

/// The columns of handoffs.
#[derive(Debug, Default)]
pub(in crate::postgres) struct HandoffLists {
    seq: Vec<i64>,
    id: Vec<String>,
    task: Vec<String>,
    sender: Vec<String>,
    receiver: Vec<String>,
    holder: Vec<Option<String>>,
    state: Vec<&'static str>,
    priority: Vec<i64>,
    since: Vec<i64>,
    not_before: Vec<Option<i64>>,
    due_at: Vec<Option<i64>>,
    claim_epoch: Vec<Option<i64>>,
    fingerprint: Vec<String>,
    is_begun: Vec<i64>,
    is_open: Vec<i64>,
    is_live: Vec<i64>,
    progress: Vec<String>,
    last_n: Vec<i64>,
    awaits_sender: Vec<i64>,
    judge: Vec<Option<String>>,
    reviewed_at: Vec<Option<i64>>,
    failed_n: Vec<Option<i64>>,
}

impl HandoffLists {
    pub(in crate::postgres) fn push(&mut self, seq: i64, row: &HandoffRow) -> Result<(), Fault> {
        let handoff: &Handoff = &row.handoff;
        let (facts, columns) = (&handoff.facts, HandoffColumns::of(handoff));
        self.progress.push(json(&handoff.progress)?);
        self.seq.push(seq);
        self.id.push(handoff.id.to_string());
        self.task.push(facts.task.clone());
        self.sender.push(facts.sender.to_string());
        self.receiver.push(facts.receiver.to_string());
        self.holder.push(columns.holder.map(|holder| holder.to_string()));
        self.state.push(columns.state.as_str());
        self.priority.push(i64::from(columns.priority));
        self.since.push(columns.since);
        self.not_before.push(columns.not_before);
        self.due_at.push(row.due_at.map(due_microseconds));
        self.claim_epoch.push(columns.claim_epoch.map(integer));
        self.fingerprint.push(facts.fingerprint.clone());
        self.is_begun.push(i64::from(facts.is_begun));
        self.is_open.push(i64::from(columns.is_open));
        self.is_live.push(i64::from(columns.is_live));
        self.last_n.push(integer(columns.last_n));
        self.awaits_sender.push(i64::from(columns.awaits_sender));
        self.judge.push(columns.judge.map(|judge| judge.to_string()));
        self.reviewed_at.push(columns.reviewed_at);
        self.failed_n.push(columns.failed_n.map(integer));
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.seq.len()
    }

    /// Returns the lists in the order of the statements.
    pub(in crate::postgres) fn params(&self) -> Vec<Param<'_>> {
        vec![
            &self.seq,
            &self.id,
            &self.task,
            &self.sender,
            &self.receiver,
            &self.holder,
            &self.state,
            &self.priority,
            &self.since,
            &self.not_before,
            &self.due_at,
            &self.claim_epoch,
            &self.fingerprint,
            &self.is_begun,
            &self.is_open,
            &self.is_live,
            &self.progress,
            &self.last_n,
            &self.awaits_sender,
            &self.judge,
            &self.reviewed_at,
            &self.failed_n,
        ]
    }
}

/// The columns of facts.
#[derive(Debug, Default)]
pub(super) struct FactsLists {
    seq: Vec<i64>,
    body: Vec<String>,
}

impl FactsLists {
    pub(super) fn push(&mut self, seq: i64, facts: &Facts) -> Result<(), Fault> {
        self.body.push(json(facts)?);
        self.seq.push(seq);
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.seq.len()
    }

    pub(super) fn params(&self) -> Vec<Param<'_>> {
        vec![&self.seq, &self.body]
    }
}

/// The columns of leaves.
#[derive(Debug, Default)]
pub(super) struct LeafLists<'w> {
    n: Vec<i64>,
    at: Vec<i64>,
    kind: Vec<&'static str>,
    handoff: Vec<Option<String>>,
    previous_n: Vec<Option<i64>>,
    body: Vec<&'w str>,
    detail: Vec<&'w str>,
}

impl<'w> LeafLists<'w> {
    pub(super) fn of(written: &'w [WriteSet]) -> Self {
        let mut lists = Self::default();
        for leaf in written.iter().flat_map(|written| &written.leaves) {
            lists.n.push(integer(leaf.n));
            lists.at.push(leaf.at.as_microsecond());
            lists.kind.push(leaf.kind.name());
            lists.handoff.push(leaf.handoff.map(|id| id.to_string()));
            lists.previous_n.push(leaf.previous.map(integer));
            lists.body.push(&leaf.leaf);
            lists.detail.push(&leaf.detail);
        }
        lists
    }

    pub(super) fn len(&self) -> usize {
        self.n.len()
    }

    pub(super) fn params(&self) -> Vec<Param<'_>> {
        vec![
            &self.n,
            &self.at,
            &self.kind,
            &self.handoff,
            &self.previous_n,
            &self.body,
            &self.detail,
        ]
    }
}

/// The columns of documents.
#[derive(Debug, Default)]
pub(super) struct DocumentLists<'w> {
    n: Vec<i64>,
    place: Vec<i64>,
    handoff: Vec<String>,
    kind: Vec<&'static str>,
    id: Vec<&'w str>,
    body: Vec<&'w str>,
    source: Vec<Option<&'w [u8]>>,
    salt: Vec<&'w [u8]>,
    commitment: Vec<&'w [u8]>,
    digest: Vec<&'w str>,
}

impl<'w> DocumentLists<'w> {
    pub(super) fn of(written: &'w [WriteSet]) -> Self {
        let mut lists = Self::default();
        for WriteSet { documents, .. } in written {
            for (index, (n, document)) in documents.iter().enumerate() {
                let place = documents[..index].iter().filter(|(other, _)| other == n).count();
                lists.n.push(integer(*n));
                lists.place.push(integer(place as u64));
                lists.handoff.push(document.handoff.to_string());
                lists.kind.push(document.kind.as_str());
                lists.id.push(&document.id);
                lists.body.push(&document.sealed.body);
                lists.source.push(document.sealed.source.as_deref());
                lists.salt.push(&document.sealed.salt);
                lists.commitment.push(document.sealed.commitment.as_bytes());
                lists.digest.push(&document.sealed.digest);
            }
        }
        lists
    }

    pub(super) fn len(&self) -> usize {
        self.n.len()
    }

    pub(super) fn params(&self) -> Vec<Param<'_>> {
        vec![
            &self.n,
            &self.place,
            &self.handoff,
            &self.kind,
            &self.id,
            &self.body,
            &self.source,
            &self.salt,
            &self.commitment,
            &self.digest,
        ]
    }
}

/// The columns of directory entries, each in its last state.
#[derive(Debug, Default)]
pub(super) struct DirectoryLists {
    kind: Vec<&'static str>,
    key: Vec<String>,
    body: Vec<String>,
}

impl DirectoryLists {
    pub(super) fn of(written: &[WriteSet]) -> Result<Self, Fault> {
        let mut lists = Self::default();
        for record in written.iter().flat_map(|written| &written.records) {
            let (kind, key) = record.key();
            // An entry that is written again becomes the newest.
            let is_same = |place: &usize| lists.kind[*place] == kind && lists.key[*place] == key;
            if let Some(place) = (0..lists.key.len()).find(is_same) {
                lists.kind.remove(place);
                lists.key.remove(place);
                lists.body.remove(place);
            }
            lists.body.push(json(record)?);
            lists.kind.push(kind);
            lists.key.push(key);
        }
        Ok(lists)
    }

    pub(super) fn len(&self) -> usize {
        self.key.len()
    }

    pub(super) fn params(&self) -> Vec<Param<'_>> {
        vec![&self.kind, &self.key, &self.body]
    }
}

/// The columns of responses to idempotency keys, the last one of each key.
#[derive(Debug, Default)]
pub(super) struct IdempotencyLists<'w> {
    party: Vec<String>,
    command: Vec<&'static str>,
    key_hash: Vec<String>,
    request: Vec<&'w str>,
    answer: Vec<String>,
    until: Vec<Option<i64>>,
}

impl<'w> IdempotencyLists<'w> {
    pub(super) fn of(written: &'w [WriteSet], secret: &[u8; 32]) -> Result<Self, Fault> {
        let kept = written.iter().filter_map(|written| written.remembered.as_deref());
        let last: BTreeMap<_, _> = kept.map(|(key, record)| (key, record)).collect();
        let mut lists = Self::default();
        for (key, record) in last {
            lists.answer.push(json(&record.answer)?);
            lists.party.push(key.party.to_string());
            lists.command.push(key.command);
            lists.key_hash.push(key_hash(secret, &key.key));
            lists.request.push(&record.digest);
            lists.until.push(record.until.map(due_microseconds));
        }
        Ok(lists)
    }

    pub(super) fn len(&self) -> usize {
        self.party.len()
    }

    pub(super) fn params(&self) -> Vec<Param<'_>> {
        vec![&self.party, &self.command, &self.key_hash, &self.request, &self.answer, &self.until]
    }
}
