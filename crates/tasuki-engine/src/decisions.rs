//! What people decided, with what they saw: for whoever wants to learn from it.
//!
//! One entry is one decision: the packet that was shown, what was decided, why, what the person made
//! of it, and how long they looked. Secrets that slipped through are cut out before anybody gets it.

use serde::Serialize;
use serde_json::Value;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::EventType;
use tasuki_packet::secrets;

use crate::document::DocumentKind;
use crate::error::Fault;
use crate::events::event;
use crate::store::{LeafRow, Store, Stored};

/// Leaves that are read at once.
const PAGE: u32 = 1_000;

/// One decision of a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decided {
    /// The number of its event.
    pub n: u64,
    /// When, in the one spelling of the interface.
    pub at: String,
    /// The handoff.
    pub handoff: String,
    /// Its task.
    pub task: String,
    /// Who decided.
    pub person: String,
    /// What.
    pub decision: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many seconds the person looked, by their own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// The revision that was shown.
    pub revision: u64,
    /// The packet that was shown.
    pub packet: Value,
    /// The packet that the person made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Value>,
}

/// The decisions among the leaves from a number on, a page of leaves at a time. Nothing is left
/// when there is no next number.
pub async fn decisions(
    store: &dyn Store,
    project: ProjectId,
    from: u64,
) -> Result<(Vec<Decided>, Option<u64>), Fault> {
    let rows = store.leaves(project, from, PAGE).await?;
    let next = rows.last().map(|row| row.n + 1);
    let mut found = Vec::new();
    // Where one decision has two events, the first brings its document.
    for row in rows.iter().filter(|row| is_decision(row.kind) && brings_document(row)) {
        found.extend(decided(store, project, row).await?);
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
    )
}

fn brings_document(row: &LeafRow) -> bool {
    let leaf: Value = serde_json::from_str(&row.leaf).unwrap_or_default();
    leaf.get("doc").is_some()
}

async fn decided(
    store: &dyn Store,
    project: ProjectId,
    row: &LeafRow,
) -> Result<Option<Decided>, Fault> {
    let event = event(row)?;
    // Without a decision of its own, a contract or the exchange decided.
    let id = event.attributes.get("decision").and_then(Value::as_str);
    let (Some(handoff), Some(id)) = (row.handoff, id) else { return Ok(None) };
    let documents = store.documents(project, handoff, None).await?;
    let body = |kind: DocumentKind, id: &str| {
        let is_it = |stored: &&Stored| stored.document.kind == kind && stored.document.id == id;
        let found = documents.iter().find(is_it)?;
        let mut value: Value = serde_json::from_str(&found.document.sealed.body).ok()?;
        secrets::redact(&mut value);
        Some(value)
    };
    let Some(document) = body(DocumentKind::Decision, id) else { return Ok(None) };
    let after = event.revision.unwrap_or(1);
    let revision = document["revision"].as_u64().unwrap_or(after);
    Ok(Some(Decided {
        n: row.n,
        at: format!("{:.6}", row.at),
        handoff: handoff.to_string(),
        task: event.task.unwrap_or_default(),
        person: event.actor,
        decision: document["decision"].as_str().unwrap_or_default().to_owned(),
        reason: document["reason"].as_str().map(str::to_owned),
        seconds: document["seconds"].as_u64(),
        revision,
        packet: body(DocumentKind::Packet, &revision.to_string()).unwrap_or_default(),
        edited: Some(after)
            .filter(|after| *after > revision)
            .and_then(|after| body(DocumentKind::Packet, &after.to_string())),
    }))
}
