//! The decisions of people, with what they saw, as material to learn from.
//!
//! An entry is one decision of a person: the packet that was shown, the action if a holder asked
//! for approval of one, the decision, its reason, the person's edit, and the time it took.
//! Remaining secrets are redacted.

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

/// Leaves read at once.
const PAGE: u32 = 1_000;

/// Returns the decisions in one page of leaves, starting at a number, and the number to continue
/// from. There are no more leaves if that number is `None`.
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
    // If a decision has two events, the first one adds its document.
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

/// Returns `true` if a person made the decision, according to the leaf. Senders reroute and cancel
/// as well, and most of them are agents. The leaf must have a document of its own.
fn is_of_a_person(row: &LeafRow) -> Result<bool, Fault> {
    let leaf = Leaf::read(row.leaf.as_bytes()).map_err(|error| {
        Fault::new(FaultKind::Corrupt, format!("leaf {}: {error}", row.n))
            .hint("run `tasuki log check` for details")
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
    // Without a decision document, a contract or the exchange decided.
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
    // A denial does not reject the handoff; the gate may still be signed.
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
        meaning: document["meaning"].as_str().map(str::to_owned),
        gate: document["gate"].as_str().map(str::to_owned),
        opened: opened(&document),
        seconds: document["seconds"].as_u64(),
        revision,
        packet: documents.packet(revision).unwrap_or_default(),
        action: document["digest"].as_str().and_then(|digest| documents.action(digest)),
        edited,
    };
    Ok(Some((decided, documents.bytes())))
}

/// Returns the parts that a person opened, according to the document of a decision.
pub(crate) fn opened(document: &Value) -> Vec<String> {
    let parts = document["opened"].as_array().into_iter().flatten();
    parts.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The documents of one handoff.
struct Documents(Vec<Stored>);

impl Documents {
    /// Returns their total size, because all of them were read.
    fn bytes(&self) -> usize {
        self.0.iter().map(|stored| stored.document.sealed.body.len()).sum()
    }

    fn named(&self, kind: DocumentKind, id: &str) -> Option<Value> {
        self.find(|document| document.kind == kind && document.id == id)
    }

    /// Returns a revision of the packet, redacted.
    fn packet(&self, revision: u64) -> Option<Value> {
        self.named(DocumentKind::Packet, &revision.to_string()).map(redacted)
    }

    /// Returns the action with this digest, redacted. The digest of a packet matches none.
    fn action(&self, digest: &str) -> Option<Value> {
        let is_match =
            |one: &Document| one.kind == DocumentKind::Action && one.sealed.digest == digest;
        self.find(is_match).map(redacted)
    }

    fn find(&self, is_match: impl Fn(&Document) -> bool) -> Option<Value> {
        let found = self.0.iter().find(|stored| is_match(&stored.document))?;
        serde_json::from_str(&found.document.sealed.body).ok()
    }
}

fn redacted(mut value: Value) -> Value {
    secrets::redact(&mut value);
    value
}
