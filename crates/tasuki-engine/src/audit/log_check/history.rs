//! The documents of one handoff, while its leaves pass by.

use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::{Attribute, EventType, Hash, Leaf, Subject};

use super::check::Problem;
use crate::audit::log_check::directory_refs::{Bound, Named};
use crate::audit::log_check::documents::PreparedPacket;
use crate::audit::log_check::event_details::Words;
use crate::audit::log_check::expected_state::{Standing, Tale};
use crate::error::{Fault, FaultKind};
use crate::model::document::hash_of_digest;
use crate::model::{Document, DocumentKind, Handoff};
use crate::ports::{Store, Stored};

/// What is stored of one handoff, and how much of it the log has vouched for.
#[derive(Debug)]
pub(super) struct History {
    /// The first leaf that is checked against this; older documents were checked before, or are not
    /// looked at.
    first: u64,
    /// The last leaf, as the handoff itself says.
    pub(super) last_n: u64,
    revision: u64,
    packet: Hash,
    prepared_packets: Vec<PreparedPacket>,
    /// Where it stands by its leaves, and as it is stored.
    tale: Tale,
    standing: Standing,
    bound: Bound,
    words: Words,
}

impl History {
    /// Loads what is stored, for leaves from `first` on.
    pub(super) async fn load(
        store: &dyn Store,
        project: ProjectId,
        id: HandoffId,
        first: u64,
    ) -> Result<Result<Self, Problem>, Fault> {
        // The handoff first: its documents are then at least as many as it knows.
        let handoff = match found(store.handoff(project, id).await, first)? {
            Ok(Some(handoff)) => handoff,
            Ok(None) => return Ok(Err(Problem::new(first, format!("there is no handoff {id}")))),
            Err(problem) => return Ok(Err(problem)),
        };
        let documents = found(store.documents(project, id, None).await, first)?;
        Ok(documents.map(|documents| Self::of(&handoff, &documents, first)))
    }

    fn of(handoff: &Handoff, documents: &[Stored], first: u64) -> Self {
        let named: Vec<(String, &str)> = documents.iter().filter_map(named_action).collect();
        let prepared = |stored: &Stored| {
            let document = &stored.document;
            let digest = &document.sealed.digest;
            let by = named.iter().find(|(named, _)| named == digest && is_action(document));
            PreparedPacket::of(stored, by.map(|(_, decision)| (*decision).to_owned()))
        };
        Self {
            first,
            last_n: handoff.progress.last_n,
            revision: u64::from(handoff.facts.revision),
            packet: handoff.facts.summary.commitment,
            prepared_packets: documents.iter().map(prepared).collect(),
            tale: Tale::default(),
            standing: Standing::of(handoff),
            bound: Bound {
                contract: handoff.facts.terms.contract.clone(),
                gates: handoff.facts.terms.gates.clone(),
                policy: handoff.facts.terms.policy,
            },
            words: Words::of(handoff),
        }
    }

    /// Keeps what another look at the same handoff has found out already.
    pub(super) fn remember(&mut self, before: &Self) {
        self.first = before.first;
        self.tale.clone_from(&before.tale);
        self.words.remember(&before.words);
        for prepared in &mut self.prepared_packets {
            let known = before
                .prepared_packets
                .iter()
                .find(|k| (k.kind, &k.id) == (prepared.kind, &prepared.id));
            if let Some(known) = known {
                prepared.is_committed = known.is_committed;
                prepared.is_dated = known.is_dated;
            }
        }
    }

    /// Takes in what a leaf commits to that is not itself checked.
    pub(super) fn believe(&mut self, leaf: &Leaf) {
        for prepared in &mut self.prepared_packets {
            prepared.is_committed |= leaf.document == Some(prepared.commitment);
        }
        if let Some(subject) = &leaf.subject {
            self.tale.take(leaf, subject);
        }
    }

    /// How many documents there are.
    pub(super) fn documents(&self) -> u64 {
        self.prepared_packets.iter().filter(|prepared| prepared.n >= self.first).count() as u64
    }

    /// Checks what a leaf commits to, and what its event says.
    pub(super) fn take(
        &mut self,
        leaf: &Leaf,
        subject: &Subject,
        event: &api::Event,
        named: &mut Named,
    ) -> Result<(), Problem> {
        let n = leaf.number;
        for prepared in self.prepared_packets.iter_mut().filter(|prepared| prepared.n == n) {
            prepared.is_dated = true;
        }
        let revision = subject.revision.to_string();
        let is_packet = |prepared: &PreparedPacket| {
            prepared.kind == DocumentKind::Packet && prepared.id == revision
        };
        self.commit(leaf, "packet", subject.packet, is_packet)?;
        if let Some(hash) = leaf.document {
            self.commit(leaf, "document", hash, |prepared| {
                prepared.kind != DocumentKind::Packet && prepared.commitment == hash
            })?;
        }
        self.tale.take(leaf, subject);
        self.count_signers(leaf, subject, named);
        if !self.is_reason(leaf, event.reason.as_deref()) {
            return Err(Problem::new(n, "its event gives another reason than was given"));
        }
        self.words.take(event, named).map_or(Ok(()), |what| Err(said_otherwise(n, what)))
    }

    /// Notes how many people had signed what somebody claims, where its gates are still the same.
    fn count_signers(&self, leaf: &Leaf, subject: &Subject, named: &mut Named) {
        let is_claim = matches!(leaf.event, EventType::Claimed | EventType::Intercepted);
        if !is_claim || leaf.policy != self.bound.policy {
            return;
        }
        for gate in self.bound.gates.iter().map(|digest| hash_of_digest(digest)) {
            named.sign(gate, self.tale.signers(gate, subject.revision), leaf.number);
        }
    }

    /// Whether a reason is the one in the document that a leaf brought, or that it names.
    fn is_reason(&self, leaf: &Leaf, said: Option<&str>) -> bool {
        let of_kind =
            |kind: DocumentKind| self.prepared_packets.iter().filter(move |p| p.kind == kind);
        if let Some(hash) = leaf.document {
            let brought = self.prepared_packets.iter().find(|prepared| {
                prepared.kind != DocumentKind::Packet && prepared.commitment == hash
            });
            return brought.is_some_and(|prepared| prepared.says(said));
        }
        let Some(text) = said else { return true };
        match (leaf.event, leaf.attributes.get("decision")) {
            (_, Some(Attribute::Id(id))) => {
                let id = id.to_string();
                of_kind(DocumentKind::Decision)
                    .any(|prepared| prepared.id == id && prepared.says(said))
            }
            (EventType::Cancelled, _) => {
                let by = self.tale.superseded_by();
                by.is_some_and(|by| text == format!("superseded by {by}"))
            }
            // The rung that led to nobody is told by its number.
            (event, _) => event == EventType::MovedOn,
        }
    }

    fn commit(
        &mut self,
        leaf: &Leaf,
        what: &str,
        hash: Hash,
        is_meant: impl Fn(&PreparedPacket) -> bool,
    ) -> Result<(), Problem> {
        let n = leaf.number;
        let Some(prepared) = self.prepared_packets.iter_mut().find(|prepared| is_meant(prepared))
        else {
            return Err(Problem::new(n, format!("the {what} that it commits to is missing")));
        };
        if prepared.commitment != hash {
            return Err(Problem::new(n, format!("it commits to another {what} than is stored")));
        }
        if let Some(wrong) = prepared.wrong {
            let (kind, id) = (prepared.kind.as_str(), &prepared.id);
            return Err(Problem::new(n, format!("the {kind} {id} {wrong}")));
        }
        if prepared.is_called_otherwise(leaf) {
            let (kind, id) = (prepared.kind.as_str(), &prepared.id);
            return Err(Problem::new(n, format!("the {kind} {id} is stored under another id")));
        }
        prepared.is_committed = true;
        Ok(())
    }

    /// Checks, after the last leaf, that what is stored is what was told, and nothing is left over.
    pub(super) fn finish(
        &self,
        leaf: &Leaf,
        subject: &Subject,
        event: &api::Event,
        named: &mut Named,
    ) -> Result<(), Problem> {
        let is_current = (subject.revision, subject.packet) == (self.revision, self.packet);
        if !is_current {
            return Err(Problem::new(self.last_n, "the handoff has another packet by now"));
        }
        if leaf.policy != self.bound.policy {
            return Err(Problem::new(self.last_n, "the handoff has another policy by now"));
        }
        named.bind(&self.bound, self.last_n);
        if let Some(what) = self.tale.difference(&self.standing) {
            return Err(Problem::new(self.last_n, what));
        }
        if let Some(what) = self.words.finish(event, named) {
            return Err(said_otherwise(self.last_n, what));
        }
        self.left_over()
    }

    fn left_over(&self) -> Result<(), Problem> {
        let new =
            |prepared: &&PreparedPacket| prepared.n >= self.first && prepared.n <= self.last_n;
        let left_over = self.prepared_packets.iter().filter(new).find_map(|prepared| {
            let (kind, id) = (prepared.kind.as_str(), &prepared.id);
            let problem =
                |what: &str| Some(Problem::new(prepared.n, format!("the {kind} {id} {what}")));
            match prepared.wrong {
                Some(wrong) => problem(wrong),
                None if !prepared.is_dated => problem("names a leaf that is not its handoff's"),
                None if !self.is_vouched_for(prepared) => problem("is in no leaf"),
                None => None,
            }
        });
        left_over.map_or(Ok(()), Err)
    }

    fn is_vouched_for(&self, prepared: &PreparedPacket) -> bool {
        let is_it = |other: &PreparedPacket, id: &String| {
            other.kind == DocumentKind::Decision && other.id == *id && other.is_committed
        };
        let is_named = |id: &String| self.prepared_packets.iter().any(|other| is_it(other, id));
        prepared.is_committed || prepared.named_by.as_ref().is_some_and(is_named)
    }
}

fn said_otherwise(n: u64, what: &str) -> Problem {
    Problem::new(n, format!("its event names another {what} than the handoff's"))
}

/// What was read, or what is wrong with it; only a store that cannot answer at all is a fault.
fn found<T>(read: Result<T, Fault>, n: u64) -> Result<Result<T, Problem>, Fault> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(fault) if fault.kind == FaultKind::Corrupt => Ok(Err(Problem::new(n, fault.message))),
        Err(fault) => Err(fault),
    }
}

fn is_action(document: &Document) -> bool {
    document.kind == DocumentKind::Action
}

/// The digest of an action that a decision names, with the decision's id.
fn named_action(stored: &Stored) -> Option<(String, &str)> {
    let document = &stored.document;
    let is_decision = document.kind == DocumentKind::Decision;
    let value: Value = is_decision.then(|| serde_json::from_str(&document.sealed.body).ok())??;
    Some((value.get("action")?.as_str()?.to_owned(), &document.id))
}
