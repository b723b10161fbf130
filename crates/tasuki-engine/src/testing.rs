//! An in-memory project for the tests of the rules: parties and a manual clock, without a store.
//!
//! `World::run` does the work of a front end and a worker, one command at a time: it prepares,
//! applies deadlines, decides and records. `check` runs a command and compares the outcome.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_packet::Packet;
use tasuki_packet::id::{HandoffId, PartyId, ProjectId};
use tasuki_packet::leaf::Authentication;

use crate::command::reply::Reply;
use crate::command::{Command, permissions};
use crate::model::state::empty_head;
use crate::model::{
    Change, CommandSeed, Context, ContractRecord, Directory, Document, DocumentKind, GateRecord,
    Handoff, Party, PartyKind, Principal, ProjectState, Record, Settings, State,
};
use crate::ports::LeafRow;
use crate::prepare::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::deadlines;
use crate::rules::fencing::ClaimProof;
use crate::steps::step::PreparedStep;
use crate::steps::{PassOn, Reads};
use crate::worker::decide::decide;
use crate::worker::recorder::Recorder;

/// Parties, handoffs and documents, all in memory.
pub(crate) struct World {
    pub(crate) state: ProjectState,
    pub(crate) now: Timestamp,
    pub(crate) documents: Vec<Document>,
    pub(crate) leaves: Vec<LeafRow>,
    drawn: u64,
}

impl World {
    /// Agents `ana`, `ben` and `cem`, people `pia` and `quin`, `role:team` with `ben` and `cem`.
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(crate) fn with(settings: Settings) -> Self {
        let now: Timestamp = "2026-11-15T10:00:00Z".parse().unwrap();
        let project = ProjectId::new(1, [1; 10]);
        let mut directory = Directory::empty(project);
        directory.put(&Record::Settings(settings)).unwrap();
        let state =
            ProjectState::new(Arc::new(directory), empty_head(project, now, [7; 32]), [], []);
        let mut world = Self { state, now, documents: Vec::new(), leaves: Vec::new(), drawn: 0 };
        // Leaf 0 always belongs to the project.
        world.state.head.leaves = 1;
        for (name, kind) in [
            ("ana", PartyKind::Agent),
            ("ben", PartyKind::Agent),
            ("cem", PartyKind::Agent),
            ("pia", PartyKind::Human),
            ("quin", PartyKind::Human),
            ("role:team", PartyKind::Role),
            ("role:people", PartyKind::Role),
            ("role:nobody", PartyKind::Role),
        ] {
            world.add(name, kind);
        }
        world.change("role:team", |party, id| party.members = vec![id("ben"), id("cem")]);
        world.change("role:people", |party, id| party.members = vec![id("pia"), id("quin")]);
        world
    }

    pub(crate) fn add(&mut self, name: &str, kind: PartyKind) -> PartyId {
        self.drawn += 1;
        let id = PartyId::new(self.drawn, [2; 10]);
        self.put(&Record::Party(Party::new(id, name, kind)));
        id
    }

    pub(crate) fn change(
        &mut self,
        name: &str,
        change: impl FnOnce(&mut Party, &dyn Fn(&str) -> PartyId),
    ) {
        let directory = Arc::clone(&self.state.directory);
        let mut party = directory.find(name).unwrap().clone();
        change(&mut party, &|name| directory.find(name).unwrap().id);
        self.put(&Record::Party(party));
    }

    pub(crate) fn put(&mut self, record: &Record) {
        let directory = Arc::make_mut(&mut self.state.directory);
        directory.put(record).unwrap();
        directory.version += 1;
        self.state.head.directory_version = directory.version;
    }

    /// Publishes a contract from `ana` to `ben`: the minimal document, extended by these members.
    pub(crate) fn contract(&mut self, more: &Value) {
        self.contract_with(more, BTreeMap::new());
    }

    /// Publishes a contract with the files that it refers to.
    pub(crate) fn contract_with(&mut self, more: &Value, schemas: BTreeMap<String, Value>) {
        let mut document = json!({
            "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben", "role:team"],
            "fallback": [{ "to": "role:people" }, { "to": "dead_letter" }],
        });
        for (name, value) in more.as_object().unwrap() {
            document[name] = value.clone();
        }
        self.put(&Record::Contract(ContractRecord { document, schemas }));
    }

    pub(crate) fn gate(&mut self, document: Value) {
        self.put(&Record::Gate(GateRecord { document }));
    }

    pub(crate) fn id(&self, name: &str) -> PartyId {
        self.state.directory.find(name).unwrap().id
    }

    /// Returns the principal with this name, as a local caller.
    pub(crate) fn principal(&self, name: &str) -> Principal {
        let party = self.state.directory.find(name).unwrap();
        Principal::local(party.id, party.kind.actor())
    }

    /// Returns the principal with this name, authenticated by password.
    pub(crate) fn signed_in(&self, name: &str) -> Principal {
        Principal { authentication: Authentication::Password, ..self.principal(name) }
    }

    /// Returns the principal with this name, authenticated by token.
    pub(crate) fn with_token(&self, name: &str) -> Principal {
        Principal { authentication: Authentication::Token, ..self.principal(name) }
    }

    pub(crate) fn advance(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    /// Runs a command for the party of this name.
    pub(crate) fn run(
        &mut self,
        name: &str,
        command: Command,
    ) -> Result<api::CommandResponse, Refusal> {
        let principal = self.principal(name);
        self.run_as(&principal, command)
    }

    #[expect(clippy::needless_pass_by_value, reason = "tests build a command where they run it")]
    pub(crate) fn run_as(
        &mut self,
        principal: &Principal,
        command: Command,
    ) -> Result<api::CommandResponse, Refusal> {
        permissions::require_scopes(principal, &command)?;
        // As in the worker: an outage is recorded before deadlines are applied.
        if !matches!(command, Command::RecordOutage(_) | Command::ResetClock(_)) {
            self.apply_due();
        }
        self.drawn += 1;
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.drawn.to_be_bytes());
        let seed = CommandSeed::new(seed);
        let input = self.input(principal, &command, seed.clone());
        let prepared = command.prepare(&input)?;
        let context = Context { state: &self.state, principal, now: self.now, seed: &seed };
        let mut change = decide(&context, &*prepared)?;
        self.documents.extend(change.documents.iter().cloned());
        self.record(&mut change);
        Ok(*Reply::of(&self.state, change, principal, self.now).into_answer())
    }

    /// Applies every deadline that has passed.
    pub(crate) fn apply_due(&mut self) {
        let mut ids: Vec<HandoffId> = self.state.handoffs().map(|handoff| handoff.id).collect();
        ids.sort();
        for id in ids {
            while let Some(mut change) =
                deadlines::apply_due(&self.state, self.state.handoff(id).unwrap(), self.now)
            {
                self.record(&mut change);
            }
        }
    }

    /// Records a change.
    fn record(&mut self, change: &mut Change) {
        let mut recorder = Recorder::new(self.now);
        let written = recorder.record(&mut self.state, change).unwrap();
        self.leaves.extend(written.leaves);
    }

    fn input(&self, principal: &Principal, command: &Command, seed: CommandSeed) -> PrepareInput {
        let reads = command.reads();
        let question = matches!(reads, Reads::Answer(..)).then(|| "what?".to_owned());
        let handoff = reads.handoff().and_then(|id| self.state.known(id)).cloned();
        let chain = handoff.as_ref().map_or_else(Vec::new, |handoff| self.chain(handoff));
        let work = match (reads, &handoff) {
            (Reads::Parent(_), parent) => parent.as_ref(),
            (_, Some(handoff)) => handoff.facts.parent.and_then(|id| self.state.known(id)),
            _ => None,
        };
        let work = work.map(|work| Arc::clone(&work.facts));
        PrepareInput {
            directory: Arc::clone(&self.state.directory),
            caller: principal.party,
            authentication: principal.authentication,
            receivers: principal.receivers.clone(),
            fingerprint_key: self.state.head.fingerprint_key,
            seed,
            handoff,
            facts: None,
            work,
            chain,
            question,
        }
    }

    pub(crate) fn packet(&self, handoff: &Handoff) -> Packet {
        let revision = handoff.facts.revision.to_string();
        let is_current = |document: &&Document| {
            document.handoff == handoff.id
                && document.kind == DocumentKind::Packet
                && document.id == revision
        };
        let document = self.documents.iter().find(is_current).unwrap();
        Packet::from_value(serde_json::from_str(&document.sealed.body).unwrap()).unwrap()
    }

    /// Returns the newest handoff.
    pub(crate) fn handoff(&self) -> &Handoff {
        self.state.handoffs().max_by_key(|handoff| handoff.id).unwrap()
    }

    pub(crate) fn newest(&self) -> HandoffId {
        self.handoff().id
    }

    /// Returns the claim on the newest handoff, as its holder would present it.
    pub(crate) fn shown(&self) -> ClaimProof {
        let handoff = self.handoff();
        ClaimProof { handoff: handoff.id, fence: handoff.progress.fence }
    }

    /// Describes the state of the newest handoff in a few words.
    pub(crate) fn standing(&self) -> String {
        let handoff = self.handoff();
        let name = |id: PartyId| self.state.directory.name(id);
        match &handoff.progress.state {
            State::Held(hold) => {
                let reasons = view_reasons(&self.state.directory, handoff);
                match &hold.approval_request {
                    Some(asked) => format!("held for {reasons}, by {}", name(asked.claim.holder)),
                    None => format!("held for {reasons}"),
                }
            }
            State::Offered(_) => format!("offered to {}", name(handoff.facts.receiver)),
            State::Claimed(claim) => {
                format!("claimed by {}, fence {}", name(claim.holder), claim.fence)
            }
            other => other.word().as_str().to_owned(),
        }
    }

    /// Runs a command and returns its outcome: `refused TK-…`, or the state of the newest handoff.
    pub(crate) fn outcome(&mut self, name: &str, command: Command) -> String {
        match self.run(name, command) {
            Ok(_) => self.standing(),
            Err(refusal) => format!("refused {}", refusal.code.as_str()),
        }
    }

    #[track_caller]
    pub(crate) fn check(&mut self, name: &str, command: Command, expected: &str) {
        assert_eq!(self.outcome(name, command), expected);
    }

    /// Returns the events after a number of leaves, as `type by actor`.
    pub(crate) fn story(&self, from: usize) -> String {
        let line = |row: &LeafRow| {
            let detail: Value = serde_json::from_str(&row.detail).unwrap();
            format!("{} by {}", row.kind.name(), detail["actor"].as_str().unwrap())
        };
        self.leaves.iter().skip(from).map(line).collect::<Vec<_>>().join("\n")
    }
}

fn view_reasons(directory: &Directory, handoff: &Handoff) -> String {
    crate::view::handoff(directory, handoff).held_for.join(", ")
}

/// Returns a packet from `ana` to `ben`, extended by these members.
pub(crate) fn packet(more: &Value) -> Vec<u8> {
    let mut packet = json!({
        "handoff_version": "1.0",
        "task_id": "task-1",
        "to_agent": "ben",
        "status": "in_progress",
        "goal": "Ship the part",
        "completed": ["Scaffold"],
        "remaining": ["Tests"],
    });
    for (name, value) in more.as_object().unwrap() {
        packet[name] = value.clone();
    }
    packet.to_string().into_bytes()
}

/// Returns a submit of [`packet`].
pub(crate) fn submit(more: &Value) -> Command {
    Command::Submit(crate::steps::Submit { source: packet(more), ..Default::default() })
}

/// Returns a claim of one handoff.
pub(crate) fn claim(handoff: HandoffId) -> Command {
    Command::Claim(crate::steps::Claim { handoff: Some(handoff), ..Default::default() })
}

impl World {
    /// Returns the packets of a chain, oldest first; the last is the handoff's own.
    fn chain(&self, handoff: &Handoff) -> Vec<Arc<Packet>> {
        let parent = handoff.facts.parent.map(|id| self.state.handoff(id).unwrap());
        let mut packets = parent.map_or_else(Vec::new, |parent| self.chain(parent));
        packets.push(Arc::new(self.packet(handoff)));
        packets
    }

    /// Prepares a command as it would enter the queue now.
    #[expect(clippy::needless_pass_by_value, reason = "tests build a command where they run it")]
    pub(crate) fn prepared(
        &self,
        principal: &Principal,
        command: Command,
        seed: CommandSeed,
    ) -> Arc<dyn PreparedStep> {
        let input = self.input(principal, &command, seed);
        command.prepare(&input).unwrap()
    }

    /// Runs a command that must be refused without recording anything, and formats the refusal.
    #[track_caller]
    pub(crate) fn refusal(&mut self, name: &str, command: Command) -> String {
        let principal = self.principal(name);
        self.refusal_as(&principal, command)
    }

    #[track_caller]
    pub(crate) fn refusal_as(&mut self, principal: &Principal, command: Command) -> String {
        self.apply_due();
        let before = (self.leaves.len(), self.documents.len(), self.state.head.clone());
        let handoffs = self.state.handoffs().count();
        let refusal = self.run_as(principal, command).unwrap_err();
        let after = (self.leaves.len(), self.documents.len(), self.state.head.clone());
        assert_eq!((before, handoffs), (after, self.state.handoffs().count()));
        self.read_aloud(&refusal)
    }

    /// Formats code, message, hint and violations; ids are replaced by their order.
    pub(crate) fn read_aloud(&self, refusal: &Refusal) -> String {
        let mut text = format!("{}: {}", refusal.code.as_str(), refusal.message);
        text.extend(refusal.hint.iter().map(|hint| format!("\nhint: {hint}")));
        for found in &refusal.violations {
            text += &format!("\n{} {found}", found.pointer);
            text.extend(found.allowed.iter().map(|allowed| format!("; allowed: {allowed}")));
        }
        self.without_ids(text)
    }

    /// Replaces ids by their order: `hof_1` for the first handoff.
    pub(crate) fn without_ids(&self, mut text: String) -> String {
        let mut handoffs: Vec<&Handoff> = self.state.handoffs().collect();
        handoffs.sort_by_key(|handoff| (handoff.facts.submitted_at, handoff.id));
        for (at, handoff) in handoffs.iter().enumerate() {
            text = text.replace(&handoff.id.to_string(), &format!("hof_{}", at + 1));
            for (at, question) in handoff.progress.questions.iter().enumerate() {
                text = text.replace(&question.id.to_string(), &format!("qst_{}", at + 1));
            }
        }
        text
    }

    /// Returns everything that is stored: documents with their sources, leaves and details.
    pub(crate) fn everything(&self) -> String {
        let documents = self.documents.iter().map(|document| {
            let source = document.sealed.source.as_deref().unwrap_or_default();
            format!("{}\n{}\n", document.sealed.body, String::from_utf8_lossy(source))
        });
        let leaves = self.leaves.iter().map(|row| format!("{}\n{}\n", row.leaf, row.detail));
        documents.chain(leaves).collect()
    }

    /// Sets the rules of the project.
    pub(crate) fn rules(&mut self, document: Value) {
        self.put(&Record::Rules(crate::model::RulesRecord { document }));
    }
}

/// Returns a command that passes on the work of the newest handoff.
pub(crate) fn pass_on_with(world: &World, more: &Value) -> Command {
    Command::PassOn(PassOn::new(world.shown(), packet(more)))
}

/// Returns a checkpoint with these members, under a claim.
pub(crate) fn checkpoint(shown: ClaimProof, more: &Value) -> Command {
    let source = packet_of("checkpoint", more);
    Command::Checkpoint(crate::steps::Checkpoint { claim: shown, source, work_tree: None })
}

/// Returns a return packet with these members, under a claim.
pub(crate) fn return_packet(shown: ClaimProof, more: &Value) -> Command {
    Command::Return(crate::steps::Return {
        claim: shown,
        source: packet_of("return", more),
        work_tree: None,
    })
}

fn packet_of(kind: &str, more: &Value) -> Vec<u8> {
    let mut packet = json!({
        "handoff_version": "1.0",
        "packet_type": kind,
        "task_id": "task-1",
        "status": "completed",
        "summary": "As far as it goes",
    });
    for (name, value) in more.as_object().unwrap() {
        packet[name] = value.clone();
    }
    packet.to_string().into_bytes()
}

/// Returns a verdict on the current return; a negative one includes the required reason.
pub(crate) fn verdict(world: &World, handoff: HandoffId, is_good: bool) -> Command {
    let reason = (!is_good).then(|| "the tests fail".to_owned());
    let return_packet = match &world.state.handoff(handoff).unwrap().progress.state {
        State::Returned(returned) => Some(returned.return_packet),
        _ => None,
    };
    Command::Verify(crate::steps::Verify {
        handoff,
        return_packet,
        is_good,
        reason,
        attention: crate::steps::Attention::default(),
    })
}

/// Returns a release of a claim.
pub(crate) fn release(shown: ClaimProof) -> Command {
    Command::Release(crate::steps::Release { claim: shown, reason: None })
}

/// Returns a cancel with a reason.
pub(crate) fn cancel(handoff: HandoffId) -> Command {
    let seen = crate::steps::SeenVersion::default();
    let reason = Some("enough".to_owned());
    Command::Cancel(crate::steps::Cancel { handoff, seen, reason })
}

/// Returns a decline with a reason.
pub(crate) fn decline(handoff: HandoffId) -> Command {
    let reason = Some("no time".to_owned());
    Command::Decline(crate::steps::Decline { handoff, reason })
}

/// Returns a command that passes the work of a claim on to another party.
pub(crate) fn pass_on(parent: ClaimProof, to: &str) -> Command {
    Command::PassOn(PassOn::new(
        parent,
        packet(&json!({ "to_agent": to, "goal": format!("Ship it with {to}") })),
    ))
}

/// Returns a halt, or the lifting of one.
pub(crate) fn halt(is_lift: bool) -> Command {
    let reason = Some("an alarm".to_owned());
    Command::Halt(crate::steps::Halt { is_lift, reason })
}

impl World {
    /// Runs a command that must be refused, and formats the refusal without ids.
    #[track_caller]
    pub(crate) fn refused(&mut self, name: &str, command: Command) -> String {
        let refusal = self.run(name, command).expect_err("it must be refused");
        let hint = refusal.hint.map_or_else(String::new, |hint| format!("\n  {hint}"));
        without_ids(&format!("{}: {}{hint}", refusal.code.as_str(), refusal.message))
    }

    /// Runs a command that must succeed.
    #[track_caller]
    pub(crate) fn done(&mut self, name: &str, command: Command) -> api::CommandResponse {
        self.run(name, command).unwrap_or_else(|refusal| panic!("{refusal}: {refusal:?}"))
    }

    /// Describes the state of one handoff.
    pub(crate) fn standing_of(&self, id: HandoffId) -> String {
        let handoff = self.state.handoff(id).unwrap();
        let name = |id: PartyId| self.state.directory.name(id);
        match &handoff.progress.state {
            State::Offered(offer) if offer.not_before.is_some_and(|until| self.now < until) => {
                format!("offered to {}, parked", name(handoff.facts.receiver))
            }
            State::Claimed(claim) if handoff.progress.child.is_some() => {
                format!("claimed by {}, waiting for its child", name(claim.holder))
            }
            State::Returned(_) => match handoff.progress.judge {
                Some(judge) => format!("returned, judged by {}", name(judge)),
                None => "returned".to_owned(),
            },
            State::Held(_) | State::Offered(_) | State::Claimed(_) => {
                let (directory, head) =
                    (Arc::clone(&self.state.directory), self.state.head.clone());
                let state = ProjectState::new(directory, head, [Arc::new(handoff.clone())], []);
                Self { state, ..self.clone() }.standing()
            }
            other => other.word().as_str().to_owned(),
        }
    }

    /// Returns the newest document of a kind.
    pub(crate) fn document(&self, kind: DocumentKind) -> Option<Value> {
        let newest = self.documents.iter().rev().find(|document| document.kind == kind)?;
        serde_json::from_str(&newest.sealed.body).ok()
    }
}

/// Cloning lets a test try several commands from the same state.
impl Clone for World {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            now: self.now,
            documents: self.documents.clone(),
            leaves: self.leaves.clone(),
            drawn: self.drawn,
        }
    }
}

/// Replaces ids by their prefixes.
pub(crate) fn without_ids(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let mut pieces = text.split('_');
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.chars().take_while(|c| is_digit(*c)).count();
        let rest = if digits == 32 { &piece[32..] } else { piece };
        shown.push('_');
        shown.push_str(if digits == 32 { "…" } else { "" });
        shown.push_str(rest);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_submitted_claimed_and_returned() {
        let mut world = World::new();
        world.check("ana", submit(&json!({})), "offered to ben");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        world.check("cem", claim(id), "refused TK-NOT-ALLOWED");
        let source = json!({"handoff_version": "1.0", "packet_type": "return", "task_id": "task-1", "status": "completed", "summary": "done"});
        let command = Command::Return(crate::steps::Return {
            claim: world.shown(),
            source: source.to_string().into_bytes(),
            work_tree: None,
        });
        world.check("ben", command, "done");
        insta::assert_snapshot!(world.story(0), @"
        handoff.submitted by ana
        handoff.delivered by ben
        handoff.claimed by ben
        handoff.returned by ben
        handoff.done by ben
        ");
    }

    #[test]
    fn an_expired_claim_is_offered_again() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        world.advance(30 * 60 - 1);
        world.apply_due();
        assert_eq!(world.standing(), "claimed by ben, fence 1");
        world.advance(1);
        world.check("ben", claim(id), "claimed by ben, fence 2");
    }
}
