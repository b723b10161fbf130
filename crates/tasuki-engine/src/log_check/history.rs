//! The documents of one handoff, while its leaves pass by.

use serde_json::Value;
use tasuki_packet::canonical;
use tasuki_packet::id::{HandoffId, ProjectId};
use tasuki_packet::leaf::{Hash, Leaf, Subject};

use super::check::Problem;
use crate::document::{Document, DocumentKind};
use crate::error::{Fault, FaultKind};
use crate::handoff::Handoff;
use crate::store::{Store, Stored};

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
    papers: Vec<Paper>,
}

/// A document without its text.
#[derive(Debug)]
struct Paper {
    n: u64,
    kind: DocumentKind,
    id: String,
    commitment: Hash,
    /// Why it is not what its own commitment says.
    wrong: Option<&'static str>,
    /// The decision that names its digest, where no leaf commits to it directly.
    named_by: Option<String>,
    is_committed: bool,
    is_dated: bool,
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
        let paper = |stored: &Stored| {
            let document = &stored.document;
            let digest = &document.sealed.digest;
            let by = named.iter().find(|(named, _)| named == digest && is_action(document));
            Paper {
                n: stored.n,
                kind: document.kind,
                id: document.id.clone(),
                commitment: document.sealed.commitment,
                wrong: wrong(document),
                named_by: by.map(|(_, decision)| (*decision).to_owned()),
                is_committed: false,
                is_dated: false,
            }
        };
        Self {
            first,
            last_n: handoff.progress.last_n,
            revision: u64::from(handoff.facts.revision),
            packet: handoff.facts.sheet.commitment,
            papers: documents.iter().map(paper).collect(),
        }
    }

    /// Keeps what another look at the same handoff has found out already.
    pub(super) fn remember(&mut self, before: &Self) {
        self.first = before.first;
        for paper in &mut self.papers {
            let known = before.papers.iter().find(|k| (k.kind, &k.id) == (paper.kind, &paper.id));
            if let Some(known) = known {
                paper.is_committed = known.is_committed;
                paper.is_dated = known.is_dated;
            }
        }
    }

    /// Takes in what a leaf commits to that is not itself checked.
    pub(super) fn believe(&mut self, leaf: &Leaf) {
        for paper in &mut self.papers {
            paper.is_committed |= leaf.document == Some(paper.commitment);
        }
    }

    /// How many documents there are.
    pub(super) fn documents(&self) -> u64 {
        self.papers.iter().filter(|paper| paper.n >= self.first).count() as u64
    }

    /// Checks what a leaf commits to.
    pub(super) fn take(&mut self, leaf: &Leaf, subject: &Subject) -> Result<(), Problem> {
        let n = leaf.number;
        for paper in self.papers.iter_mut().filter(|paper| paper.n == n) {
            paper.is_dated = true;
        }
        let revision = subject.revision.to_string();
        let is_packet = |paper: &Paper| paper.kind == DocumentKind::Packet && paper.id == revision;
        self.commit(n, "packet", subject.packet, is_packet)?;
        match leaf.document {
            Some(hash) => self.commit(n, "document", hash, |paper| {
                paper.kind != DocumentKind::Packet && paper.commitment == hash
            }),
            None => Ok(()),
        }
    }

    fn commit(
        &mut self,
        n: u64,
        what: &str,
        hash: Hash,
        is_meant: impl Fn(&Paper) -> bool,
    ) -> Result<(), Problem> {
        let Some(paper) = self.papers.iter_mut().find(|paper| is_meant(paper)) else {
            return Err(Problem::new(n, format!("the {what} that it commits to is missing")));
        };
        if paper.commitment != hash {
            return Err(Problem::new(n, format!("it commits to another {what} than is stored")));
        }
        if let Some(wrong) = paper.wrong {
            let (kind, id) = (paper.kind.as_str(), &paper.id);
            return Err(Problem::new(n, format!("the {kind} {id} {wrong}")));
        }
        paper.is_committed = true;
        Ok(())
    }

    /// Checks, after the last leaf, that nothing is left over. `subject` is what that leaf said.
    pub(super) fn finish(&self, subject: &Subject) -> Result<(), Problem> {
        let is_current = (subject.revision, subject.packet) == (self.revision, self.packet);
        if !is_current {
            return Err(Problem::new(self.last_n, "the handoff has another packet by now"));
        }
        let new = |paper: &&Paper| paper.n >= self.first && paper.n <= self.last_n;
        let left_over = self.papers.iter().filter(new).find_map(|paper| {
            let (kind, id) = (paper.kind.as_str(), &paper.id);
            let problem =
                |what: &str| Some(Problem::new(paper.n, format!("the {kind} {id} {what}")));
            match paper.wrong {
                Some(wrong) => problem(wrong),
                None if !paper.is_dated => problem("names a leaf that is not its handoff's"),
                None if !self.is_vouched_for(paper) => problem("is in no leaf"),
                None => None,
            }
        });
        left_over.map_or(Ok(()), Err)
    }

    fn is_vouched_for(&self, paper: &Paper) -> bool {
        let is_it = |other: &Paper, id: &String| {
            other.kind == DocumentKind::Decision && other.id == *id && other.is_committed
        };
        let is_named = |id: &String| self.papers.iter().any(|other| is_it(other, id));
        paper.is_committed || paper.named_by.as_ref().is_some_and(is_named)
    }
}

/// What was read, or what is wrong with it; only a store that cannot answer at all is a fault.
fn found<T>(read: Result<T, Fault>, n: u64) -> Result<Result<T, Problem>, Fault> {
    match read {
        Ok(value) => Ok(Ok(value)),
        Err(fault) if fault.kind == FaultKind::Corrupt => Ok(Err(Problem::new(n, fault.message))),
        Err(fault) => Err(fault),
    }
}

/// Whether a document is what its salt, commitment and digest say.
fn wrong(document: &Document) -> Option<&'static str> {
    let sealed = &document.sealed;
    let Ok(value) = serde_json::from_str::<Value>(&sealed.body) else {
        return Some("cannot be read");
    };
    let bytes = canonical::bytes(&value);
    let written = value.to_string();
    let is_same = canonical::digest_of_bytes(&bytes) == sealed.digest;
    if sealed.commitment_to(document.kind.commitment(), &bytes) != sealed.commitment {
        // What it says is right, as far as its digest knows; then it was said in other words.
        let is_packet = document.kind == DocumentKind::Packet;
        return Some(if is_same && is_packet && written == sealed.body {
            "is kept with another text than was sent"
        } else {
            "is not what was committed to"
        });
    }
    // The commitment is to the value; the text is the one that was written.
    if written != sealed.body {
        return Some("is spelt in another way than it was written");
    }
    (!is_same).then_some("has another digest")
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::document::Sealed;

    #[test]
    fn what_was_sent_can_be_neither_changed_nor_taken_away_nor_added() {
        let check = |kept: Option<&str>, now: Option<&str>| {
            let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
            let value = json!({"goal": "g"});
            let sealed =
                Sealed::packet(value.as_object().unwrap(), bytes(kept).as_deref(), [3; 32]);
            let (kind, id) = (DocumentKind::Packet, "1".to_owned());
            let (handoff, sealed) = (HandoffId::new(1, [1; 10]), Arc::new(sealed));
            let mut document = Document { handoff, kind, id, sealed };
            assert_eq!(wrong(&document), None);
            Arc::make_mut(&mut document.sealed).source = bytes(now);
            let said = Some("is kept with another text than was sent");
            assert_eq!(wrong(&document), said, "{kept:?} {now:?}");
        };
        check(Some("goal: g # so"), Some("goal: g # no"));
        check(Some("goal: g"), None);
        check(None, Some("goal: g"));
        check(None, Some(""));
    }
}
