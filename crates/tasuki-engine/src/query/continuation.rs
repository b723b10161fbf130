//! The brief for the next holder of a handoff, and the chain for a person who takes over.
//!
//! Everything is composed on request from documents in the log: the packet, its checkpoints,
//! questions and answers, decisions and returns. Nothing is stored again, and nothing creates a
//! revision.
//!
//! A `Reader` is the only way to read packets. It checks `authorization` first, so that no read
//! bypasses a gate. The composition itself is in `tasuki_packet::chain::continuation` and
//! `render::chain_brief`.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::chain::continuation::{self, DecisionNote};
use tasuki_packet::document::limits::LIST_ITEMS_MAX;
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::render::{
    self, AgentBrief, BriefView, BudgetTooSmall, ChainCheckpoint, ChainLink, ChainQuestion, tokens,
};
use tasuki_packet::{Packet, Variant};

use crate::error::{Error, Fault, FaultKind};
use crate::limits::CHAIN_READ_MAX;
use crate::model::{Directory, DocumentKind, Handoff, Hold, Principal, State};
use crate::ports::store::read_packet;
use crate::ports::{LeafRow, Store, Stored};
use crate::query::trail;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::{authorization, grants};
use crate::view::{self, Viewer};

/// LIMIT: characters of an action in a sentence; a longer one is named by its digest.
const ACTION_CHARACTERS_MAX: usize = 400;

/// A reader for everything that a caller may read.
#[derive(Clone)]
pub struct Reader<'a> {
    /// The store.
    pub(crate) store: &'a dyn Store,
    /// The project.
    pub(crate) project: ProjectId,
    /// The directory of the project.
    pub(crate) directory: Arc<Directory>,
    /// The caller.
    pub(crate) principal: &'a Principal,
    /// The time of reading.
    pub(crate) now: Timestamp,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("project", &self.project).finish_non_exhaustive()
    }
}

/// A revision of a packet.
#[derive(Debug, Clone)]
pub struct Revision {
    /// The packet.
    pub packet: Packet,
    /// The bytes as sent.
    pub sent: Vec<u8>,
}

/// A handoff of a chain, with its documents.
#[derive(Debug, Clone)]
pub struct ChainEntry {
    /// Its id.
    pub handoff: String,
    /// The sender.
    pub sender: String,
    /// The receiver.
    pub receiver: String,
    /// The packet in its last revision.
    pub packet: Packet,
    /// The checkpoints, oldest first.
    pub checkpoints: Vec<CheckpointEntry>,
    /// The questions, oldest first.
    pub questions: Vec<QuestionEntry>,
    /// The last return packet.
    pub returned: Option<Packet>,
    /// The decisions, oldest first.
    pub decisions: Vec<DecisionEntry>,
}

/// A checkpoint with its author and time.
#[derive(Debug, Clone)]
pub struct CheckpointEntry {
    /// The time, as RFC 3339.
    pub at: String,
    /// The author.
    pub by: String,
    /// The checkpoint.
    pub packet: Packet,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionEntry {
    /// The field it concerns.
    pub field: Option<String>,
    /// The question.
    pub text: String,
    /// `true` if it blocked the work.
    pub is_blocking: bool,
    /// The answer, if any.
    pub answer: Option<String>,
}

/// A decision with its author and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionEntry {
    /// The name of the decision.
    pub decision: String,
    /// The author.
    pub by: String,
    /// The reason, and the action that it concerns.
    pub reason: Option<String>,
    /// The time, as RFC 3339.
    pub at: String,
}

impl Reader<'_> {
    /// Returns a revision of a packet.
    pub async fn revision(&self, handoff: &Handoff, number: u32) -> Result<Revision, Error> {
        let last = handoff.facts.revision;
        if !(1..=last).contains(&number) {
            let message = format!("handoff {} has no revision {number}", handoff.id);
            return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint(format!("it has revisions 1 to {last}"))
                .into());
        }
        self.allowed(handoff, number)?;
        let stored = self.documents(handoff, Some(DocumentKind::Packet)).await?;
        let stored = packet_of(handoff, number, &stored)?;
        let sent = stored.document.sealed.sent().to_vec();
        Ok(Revision { packet: read_packet(stored)?, sent })
    }

    /// Returns a handoff with its documents.
    pub async fn link(&self, handoff: &Handoff) -> Result<ChainEntry, Error> {
        self.allowed(handoff, handoff.facts.revision)?;
        let directory = &*self.directory;
        let stored = self.documents(handoff, None).await?;
        let leaves = self.store.leaves_of(self.project, handoff.id).await?;
        let authors = authors(&leaves);
        Ok(ChainEntry {
            handoff: handoff.id.to_string(),
            sender: directory.name(handoff.facts.sender),
            receiver: directory.name(handoff.facts.receiver),
            packet: read_packet(packet_of(handoff, handoff.facts.revision, &stored)?)?,
            checkpoints: checkpoints(&stored, &authors)?,
            questions: questions(&stored)?,
            returned: of_kind(&stored, DocumentKind::Return).last().map(read_packet).transpose()?,
            decisions: decisions(&stored, &authors)?,
        })
    }

    /// Returns the handoff and its ancestors, oldest first.
    pub async fn chain(&self, handoff: &Handoff) -> Result<Vec<ChainEntry>, Error> {
        let mut links = vec![self.link(handoff).await?];
        let mut parent = handoff.facts.parent;
        while let Some(id) = parent.filter(|_| links.len() < CHAIN_READ_MAX) {
            let Some(above) = self.store.handoff(self.project, id).await? else { break };
            links.push(self.link(&above).await?);
            parent = above.facts.parent;
        }
        links.reverse();
        Ok(links)
    }

    /// Returns the brief of the next holder, within a token budget.
    pub async fn continuation(
        &self,
        handoff: &Handoff,
        budget_tokens: usize,
    ) -> Result<api::Continuation, Error> {
        let directory = &*self.directory;
        let link = self.link(handoff).await?;
        let too_small = |error: BudgetTooSmall| {
            let message = format!("the brief does not fit into {} tokens", error.budget);
            Refusal::new(RefusalCode::ArgumentInvalid, message).with(vec![error.into()])
        };
        let working = working_party(directory, self.principal, handoff);
        let granted = grants::granted(directory, handoff, working);
        let brief = link.brief(granted.as_deref(), budget_tokens).map_err(too_small)?;
        Ok(api::Continuation {
            handoff: view::handoff(directory, handoff),
            digest: link.composed().digest(),
            text: brief.text,
            tokens: brief.tokens,
            left_out: brief.left_out,
        })
    }

    /// Returns the packet with all checkpoints and decisions, for use outside of the exchange. A
    /// packet of the regulated variant gets the leaves of the handoff as its audit trail, which
    /// replaces the sender's.
    pub async fn exported(&self, handoff: &Handoff) -> Result<Packet, Error> {
        let packet = self.link(handoff).await?.composed();
        if Variant::detect(packet.members()) != "regulated" {
            return Ok(packet);
        }
        let leaves = self.store.leaves_of(self.project, handoff.id).await?;
        with_trail(packet, handoff, &leaves)
    }

    /// Returns the current version of the action that waits for approval.
    pub async fn action(&self, handoff: &Handoff) -> Result<Option<Value>, Error> {
        let State::Held(Hold { approval_request: Some(asked), .. }) = &handoff.progress.state
        else {
            return Ok(None);
        };
        self.allowed(handoff, handoff.facts.revision)?;
        let stored = self.documents(handoff, Some(DocumentKind::Action)).await?;
        let id = asked.document();
        let found = stored.iter().find(|stored| stored.document.id == id);
        let found = found.ok_or_else(|| missing(handoff, &format!("action {id}")))?;
        Ok(Some(body(found)?))
    }

    /// Returns handoffs as the caller may see them in a list.
    pub fn cards(&self, handoffs: &[Handoff]) -> Vec<api::Handoff> {
        let directory = &*self.directory;
        let viewer = Viewer { directory, principal: self.principal, now: self.now };
        handoffs.iter().map(|one| viewer.handoff(one)).collect()
    }

    /// Returns `true` if the caller may read a revision of the packet.
    pub fn may_read(&self, handoff: &Handoff, revision: u32) -> bool {
        self.allowed(handoff, revision).is_ok()
    }

    /// Refuses a caller who may not read a revision and the documents about it.
    pub(crate) fn allowed(&self, handoff: &Handoff, revision: u32) -> Result<(), Refusal> {
        authorization::reader(&self.directory, self.principal, handoff, revision, self.now)
    }

    pub(crate) async fn documents(
        &self,
        handoff: &Handoff,
        kind: Option<DocumentKind>,
    ) -> Result<Vec<Stored>, Error> {
        Ok(self.store.documents(self.project, handoff.id, kind).await?)
    }
}

/// Returns the party that works on a handoff: its holder, an eligible reader, or the receiver.
fn working_party(directory: &Directory, reader: &Principal, handoff: &Handoff) -> PartyId {
    let receiver = handoff.facts.receiver;
    let is_for_reader = directory.is_or_is_in(reader.party, receiver);
    let unclaimed = if is_for_reader { reader.party } else { receiver };
    handoff.claim().map_or(unclaimed, |claim| claim.holder)
}

impl ChainEntry {
    /// Returns the packet with all checkpoints and decisions.
    pub fn composed(&self) -> Packet {
        let checkpoints = self.checkpoints.iter().map(|entry| &entry.packet);
        continuation::compose(&self.packet, checkpoints, &self.notes())
    }

    /// Returns the brief for a model, which shows the granted authority instead of the packet's.
    fn brief(
        &self,
        granted: Option<&[String]>,
        budget_tokens: usize,
    ) -> Result<AgentBrief, BudgetTooSmall> {
        let kept = self.composed();
        let mut shown = kept.clone();
        if let Some(granted) = granted {
            let mut members = shown.into_members();
            members.insert("authority".to_owned(), grants::worded(granted).into());
            shown = Packet::new(members);
        }
        let checkpoints = self.checkpoints.iter().map(|entry| &entry.packet);
        let steps = continuation::steps(&self.packet, checkpoints);
        let view = BriefView { shown: &shown, kept: &kept, sender: &self.sender, steps: &steps };
        render::agent_brief_of(&view, Some(budget_tokens), &tokens::count)
    }

    fn notes(&self) -> Vec<DecisionNote<'_>> {
        self.decisions.iter().map(DecisionEntry::as_note).collect()
    }

    fn as_chain_link(&self) -> ChainLink<'_> {
        ChainLink {
            handoff: &self.handoff,
            sender: &self.sender,
            receiver: &self.receiver,
            packet: &self.packet,
            checkpoints: self
                .checkpoints
                .iter()
                .map(CheckpointEntry::as_chain_checkpoint)
                .collect(),
            questions: self.questions.iter().map(QuestionEntry::as_chain_question).collect(),
            returned: self.returned.as_ref(),
            decisions: self.notes(),
        }
    }
}

impl CheckpointEntry {
    fn as_chain_checkpoint(&self) -> ChainCheckpoint<'_> {
        ChainCheckpoint { at: &self.at, by: &self.by, packet: &self.packet }
    }
}

impl QuestionEntry {
    fn as_chain_question(&self) -> ChainQuestion<'_> {
        ChainQuestion {
            field: self.field.as_deref(),
            text: &self.text,
            blocking: self.is_blocking,
            answer: self.answer.as_deref(),
        }
    }
}

impl DecisionEntry {
    fn as_note(&self) -> DecisionNote<'_> {
        let Self { decision, by, reason, at } = self;
        DecisionNote { decision, by, reason: reason.as_deref(), at }
    }
}

/// Renders the whole chain as one plain-text brief for a person.
pub fn chain_brief(links: &[ChainEntry]) -> String {
    let links: Vec<ChainLink<'_>> = links.iter().map(ChainEntry::as_chain_link).collect();
    render::chain_brief(&links)
}

fn with_trail(packet: Packet, handoff: &Handoff, leaves: &[LeafRow]) -> Result<Packet, Error> {
    let id = handoff.id;
    if leaves.len() > LIST_ITEMS_MAX {
        let message = format!(
            "handoff {id} has {} leaves, but the audit trail of a packet is limited to {LIST_ITEMS_MAX}",
            leaves.len()
        );
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("export the trail alone with `tasuki show ID --trail --json`")
            .into());
    }
    let corrupt = |what: String| {
        Fault::new(FaultKind::Corrupt, format!("invalid leaf of {id}: {what}"))
            .hint("run `tasuki log check` for details")
    };
    let trail = trail::trail(leaves).map_err(|error| corrupt(error.to_string()))?;
    let trail = serde_json::to_value(trail).map_err(|error| corrupt(error.to_string()))?;
    let mut members = packet.into_members();
    members.insert("audit_trail".to_owned(), trail);
    Ok(Packet::new(members))
}

/// The actor and time of each event, by number.
type Authors = HashMap<u64, (String, String)>;

fn authors(leaves: &[LeafRow]) -> Authors {
    let author = |leaf: &LeafRow| {
        let detail: Value = serde_json::from_str(&leaf.detail).unwrap_or_default();
        let actor = detail["actor"].as_str().unwrap_or("system").to_owned();
        (leaf.n, (actor, format!("{:.0}", leaf.at)))
    };
    leaves.iter().map(author).collect()
}

fn author(stored: &Stored, authors: &Authors) -> (String, String) {
    authors.get(&stored.n).cloned().unwrap_or_default()
}

fn of_kind(
    stored: &[Stored],
    kind: DocumentKind,
) -> impl DoubleEndedIterator<Item = &Stored> + Clone {
    stored.iter().filter(move |stored| stored.document.kind == kind)
}

pub(crate) fn body(stored: &Stored) -> Result<Value, Fault> {
    let document = &stored.document;
    serde_json::from_str(&document.sealed.body).map_err(|error| {
        let (kind, id) = (document.kind.as_str(), &document.id);
        let message = format!("invalid document {kind} {id} of {}: {error}", document.handoff);
        Fault::new(FaultKind::Corrupt, message)
    })
}

pub(crate) fn text(body: &Value, member: &str) -> Option<String> {
    body[member].as_str().map(str::to_owned)
}

fn packet_of<'s>(
    handoff: &Handoff,
    revision: u32,
    stored: &'s [Stored],
) -> Result<&'s Stored, Fault> {
    let id = revision.to_string();
    let found = of_kind(stored, DocumentKind::Packet).find(|stored| stored.document.id == id);
    found.ok_or_else(|| missing(handoff, &format!("revision {id}")))
}

fn missing(handoff: &Handoff, what: &str) -> Fault {
    let message = format!("{what} of {} is missing", handoff.id);
    Fault::new(FaultKind::Corrupt, message)
}

fn checkpoints(stored: &[Stored], authors: &Authors) -> Result<Vec<CheckpointEntry>, Fault> {
    let entry = |stored: &Stored| {
        let (by, at) = author(stored, authors);
        read_packet(stored).map(|packet| CheckpointEntry { at, by, packet })
    };
    of_kind(stored, DocumentKind::Checkpoint).map(entry).collect()
}

fn questions(stored: &[Stored]) -> Result<Vec<QuestionEntry>, Fault> {
    let answer = |id: &str| {
        let found = of_kind(stored, DocumentKind::Answer).find(|answer| answer.document.id == id);
        let answer = found.map(body).transpose()?;
        // An answer may consist of a revised packet only.
        let answer =
            answer.map(|answer| text(&answer, "answer").unwrap_or("see the packet".to_owned()));
        Ok::<_, Fault>(answer)
    };
    let asked = |stored: &Stored| {
        let question = body(stored)?;
        Ok(QuestionEntry {
            field: text(&question, "field"),
            text: text(&question, "question").unwrap_or_default(),
            is_blocking: question["blocking"] == true,
            answer: answer(&stored.document.id)?,
        })
    };
    of_kind(stored, DocumentKind::Question).map(asked).collect()
}

/// Returns decisions of people, verdicts on returns, and the reasons of releases.
fn decisions(stored: &[Stored], authors: &Authors) -> Result<Vec<DecisionEntry>, Fault> {
    let mut decisions = Vec::new();
    for one in stored {
        let (member, prefix) = match one.document.kind {
            DocumentKind::Decision => ("decision", ""),
            DocumentKind::Verdict => ("result", "verify: "),
            DocumentKind::Reason => ("step", ""),
            DocumentKind::Packet
            | DocumentKind::Checkpoint
            | DocumentKind::Return
            | DocumentKind::Question
            | DocumentKind::Answer
            | DocumentKind::Action
            | DocumentKind::Claim
            | DocumentKind::WorkTree => continue,
        };
        let document = body(one)?;
        let Some(word) = text(&document, member) else { continue };
        let is_denial = word == "reject" && document.get("gate").is_some();
        let word = if is_denial { "deny".to_owned() } else { word };
        let (by, at) = author(one, authors);
        let action = action_of(stored, one, &document);
        let reason = match (action, text(&document, "reason").or_else(|| found_in(&document))) {
            (Some(action), Some(reason)) => Some(format!("{reason} (the action {action})")),
            (Some(action), None) => Some(format!("the action {action}")),
            (None, reason) => reason,
        };
        decisions.push(DecisionEntry { decision: format!("{prefix}{word}"), by, reason, at });
    }
    Ok(decisions)
}

/// Returns the findings of the contract's check, which replace the reason of an automatic verdict.
fn found_in(verdict: &Value) -> Option<String> {
    let found = verdict["verdict"]["missing"].as_array()?;
    let messages: Vec<String> = found.iter().filter_map(|one| text(one, "message")).collect();
    (!messages.is_empty()).then(|| messages.join("; "))
}

/// Returns the action that a decision results in: the edited one, else the one that was shown.
fn action_of(stored: &[Stored], decision: &Stored, document: &Value) -> Option<String> {
    let mut actions = of_kind(stored, DocumentKind::Action);
    let edited = actions.clone().find(|action| action.n == decision.n);
    let shown = document["digest"].as_str();
    let result = edited
        .or_else(|| actions.find(|one| Some(one.document.sealed.digest.as_str()) == shown))?;
    let sealed = &result.document.sealed;
    let is_short = sealed.body.chars().count() <= ACTION_CHARACTERS_MAX;
    Some(if is_short { sealed.body.clone() } else { sealed.digest.clone() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::rules::authorization::reader;
    use crate::steps::{Revise, SeenVersion, SignOff};
    use crate::testing::{World, claim, packet, submit};

    /// Returns a handoff from `ana` to `ben` behind a gate that `pia` signs.
    fn gated() -> World {
        let mut world = World::new();
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
        }));
        world.contract(&json!({ "gates": ["release"] }));
        world.run("ana", submit(&json!({}))).unwrap();
        world
    }

    fn sign(world: &mut World) {
        let seen = SeenVersion::at(&world.state.directory, world.handoff());
        let (gate, meaning, is_denial, reason) = (None, None, false, None);
        let handoff = world.newest();
        let request = SignOff { handoff, gate, meaning, is_denial, seen, reason };
        world.run_as(&world.signed_in("pia"), Command::SignOff(request)).unwrap();
    }

    /// Checks which parties may read a revision of the newest handoff.
    #[track_caller]
    fn check(world: &World, revision: u32, expected: &[&str]) {
        let may_read = |name: &&str| {
            let (directory, principal) = (&world.state.directory, world.principal(name));
            reader(directory, &principal, world.handoff(), revision, world.now).is_ok()
        };
        let readers: Vec<&str> =
            ["ana", "ben", "cem", "pia"].into_iter().filter(may_read).collect();
        assert_eq!(readers, expected);
        let system = Principal::system();
        let unnamed = reader(&world.state.directory, &system, world.handoff(), revision, world.now);
        assert_eq!(unnamed.is_ok(), expected.contains(&"cem"));
    }

    #[test]
    fn before_its_gate_is_signed_a_packet_is_visible_to_its_sender_and_to_people() {
        let mut world = gated();
        assert_eq!(world.standing(), "held for gate:release");
        check(&world, 1, &["ana", "pia"]);
        sign(&mut world);
        assert_eq!(world.standing(), "offered to ben");
        check(&world, 1, &["ana", "ben", "cem", "pia"]);
    }

    #[test]
    fn a_new_revision_is_hidden_and_so_is_the_old_one() {
        let mut world = gated();
        let source = packet(&json!({ "goal": "Another" }));
        let (handoff, seen) = (world.newest(), SeenVersion::default());
        world.run("ana", Command::Revise(Revise { handoff, source, seen })).unwrap();
        sign(&mut world);
        check(&world, 1, &["ana", "pia"]);
        check(&world, 2, &["ana", "ben", "cem", "pia"]);
    }

    #[test]
    fn the_holder_reads_the_packet_even_after_the_signature_has_expired() {
        let mut world = gated();
        sign(&mut world);
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let mut handoff = world.handoff().clone();
        handoff.progress.signatures.clear();
        let may_read = |name: &str| {
            let (directory, principal) = (&world.state.directory, world.principal(name));
            reader(directory, &principal, &handoff, 1, world.now).is_ok()
        };
        assert!(may_read("ben") && !may_read("cem"));
    }

    #[test]
    fn without_a_gate_every_party_of_the_project_reads() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        check(&world, 1, &["ana", "ben", "cem", "pia"]);
        let blind = Principal { scopes: crate::model::Scopes::none(), ..world.principal("ben") };
        let refused = reader(&world.state.directory, &blind, world.handoff(), 1, world.now);
        assert_eq!(refused.unwrap_err().code, RefusalCode::ScopeMissing);
    }
}
