//! What the next holder of a handoff is given to go on from, and a person to take it over with.
//!
//! Everything is read when it is asked for, from documents that are in the log already: the packet,
//! every checkpoint since, what was asked and answered, what was decided, what came back. Nothing of
//! it is stored again, and nothing is a revision.
//!
//! A `Reader` is how doors read packets: it asks `authorization` first, so that no way leads around a
//! gate. Not here: how it is put together (`tasuki_packet::chain::continuation`, `render::chain_brief`).

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::chain::continuation::{self, DecisionNote};
use tasuki_packet::document::limits::LIST_ITEMS_MAX;
use tasuki_packet::id::{PartyId, ProjectId};
use tasuki_packet::render::{
    self, AgentBrief, BudgetTooSmall, ChainCheckpoint, ChainLink, ChainQuestion, tokens,
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

/// LIMIT: what a sentence shows of an action; a longer one is named by its digest.
const ACTION_CHARACTERS_MAX: usize = 400;

/// Reads what a caller may read.
#[derive(Clone)]
pub struct Reader<'a> {
    /// The store.
    pub(crate) store: &'a dyn Store,
    /// In which project.
    pub(crate) project: ProjectId,
    /// Its directory.
    pub(crate) directory: Arc<Directory>,
    /// Who reads.
    pub(crate) principal: &'a Principal,
    /// When.
    pub(crate) now: Timestamp,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("project", &self.project).finish_non_exhaustive()
    }
}

/// One revision of a packet.
#[derive(Debug, Clone)]
pub struct Revision {
    /// What it says.
    pub packet: Packet,
    /// Exactly what was sent.
    pub sent: Vec<u8>,
}

/// One handoff with all that was said about it.
#[derive(Debug, Clone)]
pub struct ChainEntry {
    /// Its id.
    pub handoff: String,
    /// Who handed over.
    pub sender: String,
    /// To whom.
    pub receiver: String,
    /// The packet in its last revision.
    pub packet: Packet,
    /// What holders left behind, oldest first.
    pub checkpoints: Vec<CheckpointEntry>,
    /// What receivers asked, oldest first.
    pub questions: Vec<QuestionEntry>,
    /// What came back last.
    pub returned: Option<Packet>,
    /// What was decided, oldest first.
    pub decisions: Vec<DecisionEntry>,
}

/// A checkpoint, and who left it when.
#[derive(Debug, Clone)]
pub struct CheckpointEntry {
    /// When, as RFC 3339.
    pub at: String,
    /// Who.
    pub by: String,
    /// What it says.
    pub packet: Packet,
}

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionEntry {
    /// The field it is about.
    pub field: Option<String>,
    /// What was asked.
    pub text: String,
    /// Whether the work waited for the answer.
    pub is_blocking: bool,
    /// The answer, once there is one.
    pub answer: Option<String>,
}

/// A decision, and who made it when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionEntry {
    /// Its word.
    pub decision: String,
    /// Who.
    pub by: String,
    /// Why, and about which action.
    pub reason: Option<String>,
    /// When, as RFC 3339.
    pub at: String,
}

impl Reader<'_> {
    /// One revision of a packet.
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

    /// A handoff with all that was said about it.
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

    /// The handoff and those whose work it passes on, oldest first.
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

    /// What the next holder is given, within so many tokens.
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

    /// The packet with all checkpoints and decisions, for use outside of the exchange. One of the
    /// regulated variant carries its audit trail: the leaves about the handoff, in place of whatever
    /// its sender had there.
    pub async fn exported(&self, handoff: &Handoff) -> Result<Packet, Error> {
        let packet = self.link(handoff).await?.composed();
        if Variant::detect(packet.members()) != "regulated" {
            return Ok(packet);
        }
        let leaves = self.store.leaves_of(self.project, handoff.id).await?;
        with_trail(packet, handoff, &leaves)
    }

    /// The action that a holder asks leave for, as it stands now.
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

    /// Handoffs as the caller may see them in a list.
    pub fn cards(&self, handoffs: &[Handoff]) -> Vec<api::Handoff> {
        let directory = &*self.directory;
        let viewer = Viewer { directory, principal: self.principal, now: self.now };
        handoffs.iter().map(|one| viewer.handoff(one)).collect()
    }

    /// Whether the caller may read a revision of the packet.
    pub fn may_read(&self, handoff: &Handoff, revision: u32) -> bool {
        self.allowed(handoff, revision).is_ok()
    }

    /// Whether the caller may read a revision, or what was said about it.
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

/// Who works on a handoff, or would: its holder, else the reader if it is for it, else its receiver.
fn working_party(directory: &Directory, reader: &Principal, handoff: &Handoff) -> PartyId {
    let receiver = handoff.facts.receiver;
    let is_for_reader = directory.is_or_is_in(reader.party, receiver);
    let unclaimed = if is_for_reader { reader.party } else { receiver };
    handoff.claim().map_or(unclaimed, |claim| claim.holder)
}

impl ChainEntry {
    /// The packet with all checkpoints and decisions.
    pub fn composed(&self) -> Packet {
        let checkpoints = self.checkpoints.iter().map(|left| &left.packet);
        continuation::compose(&self.packet, checkpoints, &self.notes())
    }

    /// The same for a model, which reads what it was granted and not what its packet would allow.
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
        render::agent_brief_of(&shown, &kept, &self.sender, Some(budget_tokens), &tokens::count)
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

/// The whole chain as one brief for a person, as Markdown.
pub fn chain_brief(links: &[ChainEntry]) -> String {
    let links: Vec<ChainLink<'_>> = links.iter().map(ChainEntry::as_chain_link).collect();
    render::chain_brief(&links)
}

fn with_trail(packet: Packet, handoff: &Handoff, leaves: &[LeafRow]) -> Result<Packet, Error> {
    let id = handoff.id;
    if leaves.len() > LIST_ITEMS_MAX {
        let message = format!(
            "handoff {id} has {} leaves, and a packet takes an audit trail of {LIST_ITEMS_MAX}",
            leaves.len()
        );
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("`tasuki show ID --trail --json` writes the trail by itself")
            .into());
    }
    let corrupt = |what: String| {
        Fault::new(FaultKind::Corrupt, format!("a leaf of {id}: {what}"))
            .hint("`tasuki log check` says more")
    };
    let trail = trail::trail(leaves).map_err(|error| corrupt(error.to_string()))?;
    let trail = serde_json::to_value(trail).map_err(|error| corrupt(error.to_string()))?;
    let mut members = packet.into_members();
    members.insert("audit_trail".to_owned(), trail);
    Ok(Packet::new(members))
}

/// Who made each event, and when.
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
        let message = format!("the document {kind} {id} of {}: {error}", document.handoff);
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
    let left = |stored: &Stored| {
        let (by, at) = author(stored, authors);
        read_packet(stored).map(|packet| CheckpointEntry { at, by, packet })
    };
    of_kind(stored, DocumentKind::Checkpoint).map(left).collect()
}

fn questions(stored: &[Stored]) -> Result<Vec<QuestionEntry>, Fault> {
    let answer = |id: &str| {
        let found = of_kind(stored, DocumentKind::Answer).find(|answer| answer.document.id == id);
        let said = found.map(body).transpose()?;
        // An answer may be nothing but a revised packet.
        let said = said.map(|said| text(&said, "answer").unwrap_or("see the packet".to_owned()));
        Ok::<_, Fault>(said)
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

/// What people decided, what was judged of returns, and why holders gave the work back.
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
            | DocumentKind::Claim => continue,
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

/// What the contract's own check found in a return: its verdict has no other reason.
fn found_in(verdict: &Value) -> Option<String> {
    let found = verdict["verdict"]["missing"].as_array()?;
    let messages: Vec<String> = found.iter().filter_map(|one| text(one, "message")).collect();
    (!messages.is_empty()).then(|| messages.join("; "))
}

/// The action that a decision leaves standing, as a sentence can hold it: the one that an edit
/// brought, else the one that was shown.
fn action_of(stored: &[Stored], decision: &Stored, document: &Value) -> Option<String> {
    let mut actions = of_kind(stored, DocumentKind::Action);
    let brought = actions.clone().find(|action| action.n == decision.n);
    let shown = document["digest"].as_str();
    let standing = brought
        .or_else(|| actions.find(|one| Some(one.document.sealed.digest.as_str()) == shown))?;
    let sealed = &standing.document.sealed;
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

    /// A handoff from `ana` to `ben` behind a gate that `pia` signs.
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

    /// Who of these may read a revision of the newest handoff.
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
    fn before_its_gate_is_signed_a_packet_is_for_its_sender_and_for_people() {
        let mut world = gated();
        assert_eq!(world.standing(), "held for gate:release");
        check(&world, 1, &["ana", "pia"]);
        sign(&mut world);
        assert_eq!(world.standing(), "offered to ben");
        check(&world, 1, &["ana", "ben", "cem", "pia"]);
    }

    #[test]
    fn a_new_revision_is_kept_back_and_the_old_one_too() {
        let mut world = gated();
        let source = packet(&json!({ "goal": "Another" }));
        let (handoff, seen) = (world.newest(), SeenVersion::default());
        world.run("ana", Command::Revise(Revise { handoff, source, seen })).unwrap();
        sign(&mut world);
        check(&world, 1, &["ana", "pia"]);
        check(&world, 2, &["ana", "ben", "cem", "pia"]);
    }

    #[test]
    fn who_holds_the_work_reads_it_also_when_the_signature_has_expired() {
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
    fn without_a_gate_everybody_in_the_project_reads() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        check(&world, 1, &["ana", "ben", "cem", "pia"]);
        let blind = Principal { scopes: crate::model::Scopes::none(), ..world.principal("ben") };
        let refused = reader(&world.state.directory, &blind, world.handoff(), 1, world.now);
        assert_eq!(refused.unwrap_err().code, RefusalCode::ScopeMissing);
    }
}
