//! What people decided, with what they saw: for whoever wants to learn from it.
//!
//! One entry is one decision of a person: the packet that was shown, with the action where a holder asked
//! leave for one, what was decided, why, what the person made of it, and how long they looked. Secrets
//! that slipped through are cut out before anybody gets it.

use serde_json::Value;
use tasuki_api::DecisionRecord;
use tasuki_packet::check::secrets;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::{ActorKind, EventType, Leaf};

use crate::error::{Fault, FaultKind};
use crate::limits::DECISIONS_BYTES_MAX;
use crate::model::{Document, DocumentKind};
use crate::ports::{LeafRow, Store, Stored};
use crate::query::events::event;

/// Leaves that are read at once.
const PAGE: u32 = 1_000;

/// The decisions among the leaves from a number on, a page of leaves at a time and at most so many.
/// Nothing is left when there is no next number.
pub async fn decisions(
    store: &dyn Store,
    project: ProjectId,
    from: u64,
    limit: u32,
) -> Result<(Vec<DecisionRecord>, Option<u64>), Fault> {
    let rows = store.leaves(project, from, PAGE).await?;
    let next = rows.last().map(|row| row.n + 1);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut found, mut bytes) = (Vec::new(), 0);
    // Where one decision has two events, the first brings its document.
    for row in rows.iter().filter(|row| is_decision(row.kind)) {
        if !is_of_a_person(row)? {
            continue;
        }
        let Some((decided, size)) = decided(store, project, row).await? else { continue };
        found.push(decided);
        bytes += size;
        if found.len() >= limit || bytes >= DECISIONS_BYTES_MAX {
            return Ok((found, Some(row.n + 1)));
        }
    }
    Ok((found, next))
}

fn is_decision(kind: EventType) -> bool {
    matches!(
        kind,
        EventType::Accepted
            | EventType::SignedOff
            | EventType::Denied
            | EventType::Rejected
            | EventType::Edited
            | EventType::Rerouted
            | EventType::Intercepted
            | EventType::Cancelled
    )
}

/// Whether a person did it, by the word of the leaf: senders reroute and cancel too, and most of them are
/// agents. The leaf must bring a document of its own.
fn is_of_a_person(row: &LeafRow) -> Result<bool, Fault> {
    let leaf = Leaf::read(row.leaf.as_bytes()).map_err(|error| {
        Fault::new(FaultKind::Corrupt, format!("leaf {}: {error}", row.n))
            .hint("`tasuki log check` says more")
    })?;
    Ok(leaf.actor.kind == ActorKind::Human && leaf.document.is_some())
}

#[expect(clippy::wildcard_enum_match_arm, reason = "few of many events matter here")]
async fn decided(
    store: &dyn Store,
    project: ProjectId,
    row: &LeafRow,
) -> Result<Option<(DecisionRecord, usize)>, Fault> {
    let event = event(row)?;
    // Without a decision of its own, a contract or the exchange decided.
    let id = event.attributes.get("decision").and_then(Value::as_str);
    let (Some(handoff), Some(id)) = (row.handoff, id) else { return Ok(None) };
    let documents = Documents(store.documents(project, handoff, None).await?);
    let Some(document) = documents.named(DocumentKind::Decision, id) else { return Ok(None) };
    let after = event.revision.unwrap_or(1);
    let revision = document["revision"].as_u64().unwrap_or(after);
    let edited = match document["action"].as_str() {
        Some(digest) => documents.action(digest),
        None if after > revision => documents.packet(after),
        None => None,
    };
    let reason = redacted(document["reason"].clone());
    // A refusal to sign is one word among several; the gate may still be signed.
    let word = match row.kind {
        EventType::Denied => "deny",
        _ => document["decision"].as_str().unwrap_or_default(),
    };
    let decided = DecisionRecord {
        n: row.n,
        at: format!("{:.6}", row.at),
        handoff: handoff.to_string(),
        task: event.task.unwrap_or_default(),
        person: event.actor,
        decision: word.to_owned(),
        reason: reason.as_str().map(str::to_owned),
        seconds: document["seconds"].as_u64(),
        revision,
        packet: documents.packet(revision).unwrap_or_default(),
        action: document["digest"].as_str().and_then(|digest| documents.action(digest)),
        edited,
    };
    Ok(Some((decided, documents.bytes())))
}

/// The documents of one handoff.
struct Documents(Vec<Stored>);

impl Documents {
    /// How large they are, those included that nobody asks for: they were read.
    fn bytes(&self) -> usize {
        self.0.iter().map(|stored| stored.document.sealed.body.len()).sum()
    }

    fn named(&self, kind: DocumentKind, id: &str) -> Option<Value> {
        self.find(|document| document.kind == kind && document.id == id)
    }

    /// A revision of the packet, without secrets.
    fn packet(&self, revision: u64) -> Option<Value> {
        self.named(DocumentKind::Packet, &revision.to_string()).map(redacted)
    }

    /// The action with this digest, without secrets. A digest of a packet is none of an action.
    fn action(&self, digest: &str) -> Option<Value> {
        let is_it =
            |one: &Document| one.kind == DocumentKind::Action && one.sealed.digest == digest;
        self.find(is_it).map(redacted)
    }

    fn find(&self, is_it: impl Fn(&Document) -> bool) -> Option<Value> {
        let found = self.0.iter().find(|stored| is_it(&stored.document))?;
        serde_json::from_str(&found.document.sealed.body).ok()
    }
}

fn redacted(mut value: Value) -> Value {
    secrets::redact(&mut value);
    value
}
