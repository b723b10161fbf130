//! Turns a change into rows: every event becomes a numbered, timestamped and chained leaf.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use tasuki_api::{DecisionStatement, HoldCause};
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::{ActorKind, Attribute, EventType, Hash, Leaf, Subject};

use crate::error::{Fault, FaultKind};
use crate::model::{
    Change, Directory, Document, DocumentKind, Event, Handoff, Head, ProjectState, StateWord,
};
use crate::ports::{HandoffRow, LeafRow, WriteSet};
use crate::rules::causes::causes;
use crate::rules::deadlines;
use crate::worker::transition::{StateTransition, transitions};

/// The epoch of the log. Tree heads will open new ones.
const EPOCH: u64 = 1;

/// Records the changes of one batch.
#[derive(Debug)]
pub struct Recorder {
    now: Timestamp,
    has_recorded: bool,
}

impl Recorder {
    /// Creates a recorder for one batch at this instant.
    pub fn new(now: Timestamp) -> Self {
        Self { now, has_recorded: false }
    }

    /// Returns `true` if there is anything to commit.
    pub fn has_recorded(&self) -> bool {
        self.has_recorded
    }

    /// Marks that rows besides changes must be committed.
    pub fn note_write(&mut self) {
        self.has_recorded = true;
    }

    /// Creates the leaves of a change, applies it to the state, and returns the rows to write.
    pub fn record(
        &mut self,
        state: &mut ProjectState,
        change: &mut Change,
    ) -> Result<WriteSet, Fault> {
        let mut written = WriteSet::default();
        // The state is only changed once every row is known to be writable.
        let directory = directory_after(state, change)?;
        let mut head = Head { directory_version: directory.version, ..state.head.clone() };
        let transitions = transitions(&change.events, state, &change.handoffs);
        for (event, transition) in change.events.iter_mut().zip(transitions) {
            let handoff = subject_of(event, &change.handoffs)?;
            let stated = stated(event, &change.documents);
            let detail = detail(&directory, handoff, transition, (event, stated));
            let n = head.leaves;
            let leaf = self.leaf(&directory, handoff, event, &mut head)?;
            let previous = handoff.and_then(|handoff| subject(handoff).previous);
            let (at, kind, handoff) = (self.now, event.kind, event.handoff);
            written.leaves.push(LeafRow { n, at, kind, handoff, previous, leaf, detail });
            change.answer.n = Some(n);
            let subject = event.handoff;
            for handoff in change.handoffs.iter_mut().filter(|one| Some(one.id) == subject) {
                Arc::make_mut(handoff).progress.last_n = n;
            }
        }
        for document in std::mem::take(&mut change.documents) {
            let n = number_of(&document, &change.events, &written.leaves);
            written.documents.push((n, document));
        }
        for handoff in &change.handoffs {
            written.handoffs.push(row(&directory, state, handoff));
        }
        written.records = std::mem::take(&mut change.records);
        let is_empty = written.leaves.is_empty() && written.handoffs.is_empty();
        self.has_recorded |= !is_empty || !written.records.is_empty() || change.halt.is_some();
        state.head = head;
        state.directory = directory;
        state.apply(change);
        Ok(written)
    }

    /// Returns the text of the next leaf and advances the head.
    fn leaf(
        &self,
        directory: &Directory,
        handoff: Option<&Handoff>,
        event: &mut Event,
        head: &mut Head,
    ) -> Result<String, Fault> {
        let summary = handoff.map(|handoff| &handoff.facts.summary);
        let leaf = Leaf {
            project: head.project,
            epoch: EPOCH,
            index: head.leaves,
            number: head.leaves,
            time: self.now,
            previous: head.last_hash,
            event: event.kind,
            subject: handoff.map(subject),
            document: event.document,
            attributes: std::mem::take(&mut event.attributes),
            actor: event.actor,
            class: summary.and_then(crate::model::PacketSummary::class),
            taint: handoff.map(|handoff| taint(directory, handoff)),
            regulations: summary
                .map_or_else(Vec::new, crate::model::PacketSummary::leaf_regulations),
            policy: handoff.and_then(|handoff| handoff.facts.terms.policy),
        };
        let bytes = leaf.bytes().map_err(|error| {
            Fault::new(
                FaultKind::Bug,
                format!("cannot serialize the leaf of `{}`: {error}", event.kind.name()),
            )
        })?;
        head.last_hash = Hash::of_leaf(&bytes);
        head.last_at = self.now;
        head.leaves += 1;
        Ok(String::from_utf8(bytes).expect("canonical JSON is UTF-8"))
    }
}

/// Returns the directory after a change.
fn directory_after(state: &ProjectState, change: &Change) -> Result<Arc<Directory>, Fault> {
    if change.records.is_empty() {
        return Ok(Arc::clone(&state.directory));
    }
    let mut directory = Directory::clone(&state.directory);
    for record in &change.records {
        directory.put(record)?;
    }
    directory.version += 1;
    Ok(Arc::new(directory))
}

/// Returns the handoff that an event concerns.
///
/// INVARIANT: the change includes that handoff, so that its next leaf can link to this one.
fn subject_of<'h>(
    event: &Event,
    handoffs: &'h [Arc<Handoff>],
) -> Result<Option<&'h Handoff>, Fault> {
    let Some(id) = event.handoff else { return Ok(None) };
    let found = handoffs.iter().find(|handoff| handoff.id == id);
    found.map(|found| Some(found.as_ref())).ok_or_else(|| {
        let message =
            format!("event `{}` concerns {id}, which is not part of the change", event.kind.name());
        Fault::new(FaultKind::Bug, message)
    })
}

fn subject(handoff: &Handoff) -> Subject {
    Subject {
        handoff: handoff.id,
        revision: u64::from(handoff.facts.revision),
        packet: handoff.facts.summary.commitment,
        // Leaf 0 belongs to the project, so 0 is never the number of a handoff's leaf.
        previous: (handoff.progress.last_n != 0).then_some(handoff.progress.last_n),
    }
}

/// Returns the least trusted origin of the packet's content. Later editors do not raise it.
fn taint(directory: &Directory, handoff: &Handoff) -> &'static str {
    let is_person = |id: &PartyId| directory.is_people(*id);
    if handoff.facts.contributors.iter().all(is_person) { "human" } else { "agent" }
}

/// Returns the number of the leaf that adds a document: the one that commits to it or, for a
/// packet, the first leaf of its handoff in this change.
fn number_of(document: &Document, events: &[Event], leaves: &[LeafRow]) -> u64 {
    let own = || events.iter().zip(leaves).filter(|(e, _)| e.handoff == Some(document.handoff));
    let commitment = Some(document.sealed.commitment);
    let committing = own().find(|(event, _)| event.document == commitment);
    let (_, leaf) = committing.or_else(|| own().next()).unzip();
    leaf.or(leaves.last()).map_or(0, |leaf| leaf.n)
}

fn row(directory: &Directory, state: &ProjectState, handoff: &Arc<Handoff>) -> HandoffRow {
    let before = state.known(handoff.id);
    HandoffRow {
        due_at: deadlines::due_at(directory, handoff),
        is_new: before.is_none(),
        has_new_facts: before.is_none_or(|before| !Arc::ptr_eq(&before.facts, &handoff.facts)),
        handoff: Arc::clone(handoff),
    }
}

/// The initial capacity, which most details fit into.
const DETAIL_BYTES: usize = 256;

/// The details that streams show besides the leaf, with current names.
#[derive(Serialize)]
struct Detail<'d> {
    actor: Cow<'d, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_behalf_of: Option<Cow<'d, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Cow<'d, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<Cow<'d, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'d str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    causes: Vec<HoldCause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stated: Option<DecisionStatement>,
}

/// Returns the statements of the person whose decision an event records.
fn stated(event: &Event, documents: &[Document]) -> Option<DecisionStatement> {
    let Some(Attribute::Id(id)) = event.attributes.get("decision") else { return None };
    let id = id.to_string();
    let is_it = |one: &&Document| one.kind == DocumentKind::Decision && one.id == id;
    let body = &documents.iter().find(is_it)?.sealed.body;
    let stated: DecisionStatement = serde_json::from_str(body).ok()?;
    (stated != DecisionStatement::default()).then_some(stated)
}

fn detail(
    directory: &Directory,
    handoff: Option<&Handoff>,
    transition: Option<StateTransition>,
    (event, stated): (&Event, Option<DecisionStatement>),
) -> String {
    let actor = match (event.actor.party, event.actor.kind) {
        (Some(party), _) => directory.called(party),
        (None, ActorKind::Clock) => Cow::Borrowed("clock"),
        (None, _) => Cow::Borrowed("system"),
    };
    let facts = handoff.map(|handoff| &handoff.facts);
    let detail = Detail {
        actor,
        on_behalf_of: event.actor.on_behalf_of.map(|party| directory.called(party)),
        task: facts.map(|facts| facts.task.as_str()),
        from: facts.map(|facts| directory.called(facts.sender)),
        to: transition.map(|transition| directory.called(transition.receiver)),
        after: transition.map(|transition| transition.after.as_str()),
        risk: handoff.map(|handoff| handoff.risk().as_str()),
        before: transition.and_then(|transition| transition.before).map(StateWord::as_str),
        contract: facts.and_then(|facts| facts.terms.contract.as_deref()),
        trigger: facts.and_then(|facts| facts.summary.trigger.as_deref()),
        reason: event.reason.as_deref(),
        action: event.action.as_deref(),
        causes: match (event.kind, handoff) {
            (EventType::Held, Some(handoff)) => causes(directory, handoff),
            _ => Vec::new(),
        },
        stated,
    };
    let mut json = Vec::with_capacity(DETAIL_BYTES);
    serde_json::to_writer(&mut json, &detail).expect("texts are JSON");
    String::from_utf8(json).expect("JSON is UTF-8")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tasuki_packet::leaf::EventType;

    use super::*;
    use crate::model::{Record, SYSTEM, Settings};
    use crate::testing::{World, claim, submit};

    fn claimed() -> World {
        let mut world = World::new();
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        world
    }

    /// Checks that a change that cannot be written leaves everything as it was.
    #[track_caller]
    fn check(world: &World, mut change: Change, expected: &str) {
        let strict = Settings { allows_edges_without_contract: false, ..Settings::default() };
        change.records.push(Record::Settings(strict));
        let mut state = world.state.clone();
        let fault = Recorder::new(world.now).record(&mut state, &mut change).unwrap_err();
        assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::Bug, expected));
        assert_eq!(state.head, world.state.head);
        assert!(Arc::ptr_eq(&state.directory, &world.state.directory));
    }

    #[test]
    fn an_event_that_cannot_be_serialized_is_a_bug_and_changes_nothing() {
        let world = claimed();
        let mut change = Change::default();
        change.record_event(EventType::Lapsed, world.newest(), SYSTEM);
        change.put(world.handoff().clone());
        check(
            &world,
            change,
            "cannot serialize the leaf of `handoff.lapsed`: invalid leaf: handoff.lapsed: \
             missing attribute `fence`",
        );
    }

    #[test]
    fn an_event_whose_handoff_is_not_part_of_the_change_is_a_bug_and_changes_nothing() {
        let world = claimed();
        let mut change = Change::default();
        change.record_event(EventType::Revised, world.newest(), SYSTEM);
        let id = world.newest();
        check(
            &world,
            change,
            &format!("event `handoff.revised` concerns {id}, which is not part of the change"),
        );
    }

    #[test]
    fn streams_show_names_and_the_state_transition() {
        let world = claimed();
        insta::assert_snapshot!(world.leaves.last().unwrap().detail, @r#"{"actor":"ben","task":"task-1","from":"ana","to":"ben","after":"claimed","risk":"low","before":"offered"}"#);
    }
}
