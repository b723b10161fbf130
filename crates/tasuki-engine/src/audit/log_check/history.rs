//! Compares the stored data of one handoff with its leaves, in log order.

use jiff::Timestamp;
use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::{Attribute, EventType, Hash, Leaf, Subject};

use super::check::Problem;
use crate::audit::log_check::directory_refs::{DirectoryRefs, TermsRef};
use crate::audit::log_check::documents::CheckedDocument;
use crate::audit::log_check::event_details::EventDetails;
use crate::audit::log_check::expected_state::{ExpectedState, StoredState};
use crate::audit::log_check::shown::Shown;
use crate::error::{Fault, FaultKind};
use crate::model::document::hash_of_digest;
use crate::model::{Document, DocumentKind, Handoff};
use crate::ports::{Store, Stored};

/// The stored data of one handoff, and the parts that the log has confirmed.
#[derive(Debug)]
pub(super) struct History {
    /// The first leaf that is checked. Older documents are not checked here.
    first: u64,
    /// The number of its last leaf, as the handoff states.
    pub(super) last_n: u64,
    revision: u64,
    packet: Hash,
    documents: Vec<CheckedDocument>,
    /// The state that the leaves imply.
    expected: ExpectedState,
    /// The stored state.
    stored_state: StoredState,
    terms: TermsRef,
    details: EventDetails,
    shown: Shown,
}

impl History {
    /// Loads the stored data, for leaves from `first` on.
    pub(super) async fn load(
        store: &dyn Store,
        project: ProjectId,
        id: HandoffId,
        first: u64,
    ) -> Result<Result<Self, Problem>, Fault> {
        // The handoff is read first, so that its documents are at least as recent.
        let handoff = match found(store.handoff(project, id).await, first)? {
            Ok(Some(handoff)) => handoff,
            Ok(None) => return Ok(Err(Problem::new(first, format!("handoff {id} is missing")))),
            Err(problem) => return Ok(Err(problem)),
        };
        let documents = found(store.documents(project, id, None).await, first)?;
        Ok(documents.map(|documents| Self::of(&handoff, &documents, first)))
    }

    fn of(handoff: &Handoff, documents: &[Stored], first: u64) -> Self {
        let decided: Vec<(String, &str)> = documents.iter().filter_map(named_action).collect();
        let checked = |stored: &Stored| {
            let document = &stored.document;
            let digest = &document.sealed.digest;
            let by = decided.iter().find(|(action, _)| action == digest && is_action(document));
            CheckedDocument::of(stored, by.map(|(_, decision)| (*decision).to_owned()))
        };
        Self {
            first,
            last_n: handoff.progress.last_n,
            revision: u64::from(handoff.facts.revision),
            packet: handoff.facts.summary.commitment,
            documents: documents.iter().map(checked).collect(),
            expected: ExpectedState::default(),
            stored_state: StoredState::of(handoff),
            terms: TermsRef {
                contract: handoff.facts.terms.contract.clone(),
                gates: handoff.facts.terms.gates.clone(),
                policy: handoff.facts.terms.policy,
            },
            details: EventDetails::of(handoff),
            shown: Shown::of(handoff, documents),
        }
    }

    /// Carries over the results of an earlier load of the same handoff.
    pub(super) fn carry_over(&mut self, before: &Self) {
        self.first = before.first;
        self.expected.clone_from(&before.expected);
        self.details.carry_over(&before.details);
        self.shown.carry_over(&before.shown);
        for checked in &mut self.documents {
            let known =
                before.documents.iter().find(|k| (k.kind, &k.id) == (checked.kind, &checked.id));
            if let Some(known) = known {
                checked.is_committed = known.is_committed;
                checked.is_dated = known.is_dated;
            }
        }
    }

    /// Applies a leaf that is outside of the checked range.
    pub(super) fn apply_unchecked(&mut self, leaf: &Leaf) {
        for checked in &mut self.documents {
            let commitments = [leaf.document, work_tree(leaf)];
            checked.is_committed |= commitments.contains(&Some(checked.commitment));
        }
        if let Some(subject) = &leaf.subject {
            self.expected.take(leaf, subject);
        }
        self.shown.take(leaf);
    }

    /// Returns the beginning of a claim or an offer that only a step back of the clock explains.
    pub(super) fn moved(&self) -> Option<(Timestamp, Problem)> {
        self.shown.moved().map(|(began, what)| (began, Problem::new(self.last_n, what)))
    }

    /// Returns the number of checked documents.
    pub(super) fn documents(&self) -> u64 {
        self.documents.iter().filter(|checked| checked.n >= self.first).count() as u64
    }

    /// Checks the commitments of a leaf and the details of its event.
    pub(super) fn take(
        &mut self,
        leaf: &Leaf,
        subject: &Subject,
        event: &api::Event,
        refs: &mut DirectoryRefs,
    ) -> Result<(), Problem> {
        let n = leaf.number;
        for checked in self.documents.iter_mut().filter(|checked| checked.n == n) {
            checked.is_dated = true;
        }
        let revision = subject.revision.to_string();
        let is_packet = |checked: &CheckedDocument| {
            checked.kind == DocumentKind::Packet && checked.id == revision
        };
        self.commit(leaf, "packet", subject.packet, is_packet)?;
        if let Some(hash) = leaf.document {
            self.commit(leaf, "document", hash, |checked| {
                checked.kind != DocumentKind::Packet && checked.commitment == hash
            })?;
        }
        if let Some(hash) = work_tree(leaf) {
            self.commit(leaf, "work tree", hash, |checked| {
                checked.kind == DocumentKind::WorkTree && checked.commitment == hash
            })?;
        }
        self.expected.take(leaf, subject);
        self.shown.take(leaf);
        self.count_signers(leaf, subject, refs);
        if !self.is_reason(leaf, event.reason.as_deref()) {
            return Err(Problem::new(n, "the reason of its event differs from the document"));
        }
        self.details.take(event, refs).map_or(Ok(()), |what| Err(differs(n, what)))
    }

    /// Records how many people had signed when a handoff was claimed, if its gates are unchanged.
    fn count_signers(&self, leaf: &Leaf, subject: &Subject, refs: &mut DirectoryRefs) {
        let is_claim = matches!(leaf.event, EventType::Claimed | EventType::Intercepted);
        if !is_claim || leaf.policy != self.terms.policy {
            return;
        }
        for gate in self.terms.gates.iter().map(|digest| hash_of_digest(digest)) {
            refs.record_signers(gate, self.expected.signers(gate, subject.revision), leaf.number);
        }
    }

    /// Returns `true` if a reason matches the document that a leaf adds or names.
    fn is_reason(&self, leaf: &Leaf, stated: Option<&str>) -> bool {
        let of_kind = |kind: DocumentKind| self.documents.iter().filter(move |p| p.kind == kind);
        if let Some(hash) = leaf.document {
            let document = self
                .documents
                .iter()
                .find(|checked| checked.kind != DocumentKind::Packet && checked.commitment == hash);
            return document.is_some_and(|checked| checked.has_reason(stated));
        }
        let Some(text) = stated else { return true };
        match (leaf.event, leaf.attributes.get("decision")) {
            (_, Some(Attribute::Id(id))) => {
                let id = id.to_string();
                of_kind(DocumentKind::Decision)
                    .any(|checked| checked.id == id && checked.has_reason(stated))
            }
            (EventType::Cancelled, _) => {
                let by = self.expected.superseded_by();
                by.is_some_and(|by| text == format!("superseded by {by}"))
            }
            // The reason of a skipped rung is its number.
            (event, _) => event == EventType::MovedOn,
        }
    }

    fn commit(
        &mut self,
        leaf: &Leaf,
        what: &str,
        hash: Hash,
        is_meant: impl Fn(&CheckedDocument) -> bool,
    ) -> Result<(), Problem> {
        let n = leaf.number;
        let Some(checked) = self.documents.iter_mut().find(|checked| is_meant(checked)) else {
            return Err(Problem::new(n, format!("the committed {what} is missing")));
        };
        if checked.commitment != hash {
            return Err(Problem::new(n, format!("the stored {what} differs from the commitment")));
        }
        if let Some(wrong) = checked.wrong {
            let (kind, id) = (checked.kind.as_str(), &checked.id);
            return Err(Problem::new(n, format!("the {kind} {id} {wrong}")));
        }
        if checked.has_other_id(leaf) {
            let (kind, id) = (checked.kind.as_str(), &checked.id);
            return Err(Problem::new(n, format!("the {kind} {id} has another id in the leaf")));
        }
        checked.is_committed = true;
        Ok(())
    }

    /// Checks the stored state after the last leaf, and that every document is confirmed.
    pub(super) fn finish(
        &self,
        leaf: &Leaf,
        subject: &Subject,
        event: &api::Event,
        refs: &mut DirectoryRefs,
    ) -> Result<(), Problem> {
        let is_current = (subject.revision, subject.packet) == (self.revision, self.packet);
        if !is_current {
            return Err(Problem::new(
                self.last_n,
                "the current packet differs from the last leaf of the handoff",
            ));
        }
        if leaf.policy != self.terms.policy {
            return Err(Problem::new(
                self.last_n,
                "the current policy differs from the last leaf of the handoff",
            ));
        }
        refs.record_terms(&self.terms, self.last_n);
        if let Some(what) = self.expected.difference(&self.stored_state) {
            return Err(Problem::new(self.last_n, what));
        }
        if let Some(what) = self.shown.difference() {
            return Err(Problem::new(self.last_n, what));
        }
        if let Some(what) = self.details.finish(event, refs) {
            return Err(differs(self.last_n, what));
        }
        self.unconfirmed()
    }

    fn unconfirmed(&self) -> Result<(), Problem> {
        let new = |checked: &&CheckedDocument| checked.n >= self.first && checked.n <= self.last_n;
        let unconfirmed = self.documents.iter().filter(new).find_map(|checked| {
            let (kind, id) = (checked.kind.as_str(), &checked.id);
            let problem =
                |what: &str| Some(Problem::new(checked.n, format!("the {kind} {id} {what}")));
            match checked.wrong {
                Some(wrong) => problem(wrong),
                None if !checked.is_dated => problem("refers to a leaf of another handoff"),
                None if !self.is_confirmed(checked) => problem("is not in the log"),
                None => None,
            }
        });
        unconfirmed.map_or(Ok(()), Err)
    }

    fn is_confirmed(&self, checked: &CheckedDocument) -> bool {
        let is_decision = |other: &CheckedDocument, id: &String| {
            other.kind == DocumentKind::Decision && other.id == *id && other.is_committed
        };
        let is_named = |id: &String| self.documents.iter().any(|other| is_decision(other, id));
        checked.is_committed || checked.named_by.as_ref().is_some_and(is_named)
    }
}

/// Returns the commitment of a leaf to a work tree.
fn work_tree(leaf: &Leaf) -> Option<Hash> {
    match leaf.attributes.get("work_tree") {
        Some(Attribute::Hash(hash)) => Some(*hash),
        _ => None,
    }
}

fn differs(n: u64, what: &str) -> Problem {
    Problem::new(n, format!("the {what} of its event differs from the handoff"))
}

/// Turns corrupt data into a problem. Only a failing store is a fault.
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

/// Returns the digest of the action that a decision names, with the id of the decision.
fn named_action(stored: &Stored) -> Option<(String, &str)> {
    let document = &stored.document;
    let is_decision = document.kind == DocumentKind::Decision;
    let value: Value = is_decision.then(|| serde_json::from_str(&document.sealed.body).ok())??;
    Some((value.get("action")?.as_str()?.to_owned(), &document.id))
}
