//! A handoff and its state.
//!
//! A handoff has two halves: `Facts`, which change with a revision or a route, and `Progress`,
//! which changes with every step. Both are stored as they stand here (docs/decisions/0008), apart
//! from each other, so that a claim does not write a packet's facts again.
//!
//! | from | steps | to |
//! |---|---|---|
//! | - | begin; submit | claimed; held or offered |
//! | held | accept, sign off; reject; edit, revise | offered or claimed; rejected or claimed; held |
//! | offered | claim; ask, revise, edit; decline | claimed; offered; next rung |
//! | claimed | checkpoint, renew; hold; park, release, lapse; pass on; return | claimed; held; offered; claimed until the child is; returned or done |
//! | returned | verify | done, or offered for rework |
//! | any open | reroute, intercept; deadline; cancel | held, offered or claimed; next rung; cancelled |
//! | dead | redrive, discard | held or offered; discarded |

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_api::StateWord;
use tasuki_packet::chain::ChainTotals;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{
    CheckpointId, ClaimId, DecisionId, HandoffId, PartyId, QuestionId, ReturnId,
};

use crate::model::{Budget, NotificationFailure, PacketSummary, Terms, serde_time};

/// One transfer of a task from a sender to a receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct Handoff {
    /// Its id.
    pub id: HandoffId,
    /// What changes with a revision or a route.
    pub facts: Arc<Facts>,
    /// What changes with every step.
    pub progress: Progress,
}

/// What a handoff is about, between whom, and under which terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The task that moves.
    pub task: String,
    /// Who hands over.
    pub sender: PartyId,
    /// Who it is for now.
    pub receiver: PartyId,
    /// Who it was for at first; a redrive starts there.
    pub first_receiver: PartyId,
    /// The revision in which it came to its receiver from another one; 0 if it did not.
    #[serde(default, skip_serializing_if = "is_default")]
    pub routed_in: u32,
    /// Whether a party opened the task for itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_begun: bool,
    /// The number of the current revision, from 1.
    pub revision: u32,
    /// What the rules need to know of its packet.
    pub summary: PacketSummary,
    /// What contract, gates and project have fixed.
    pub terms: Terms,
    /// The handoff whose work this one passes on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parent: Option<HandoffId>,
    /// The parties that had the work before, oldest first.
    pub lineage: Vec<PartyId>,
    /// The agent that sent the first packet of the chain in another's name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sent_by: Option<PartyId>,
    /// What the chain up to here has cost by its own word.
    #[serde(default, skip_serializing_if = "is_default")]
    pub spent: ChainTotals,
    /// What the chain may cost.
    #[serde(default, skip_serializing_if = "is_default")]
    pub budget: Budget,
    /// When the first handoff of the chain was submitted.
    #[serde(with = "serde_time")]
    pub chain_began_at: Timestamp,
    /// Everybody who wrote a revision, and on whose behalf; none of them signs at a gate.
    pub contributors: Vec<PartyId>,
    /// When it was submitted.
    #[serde(with = "serde_time")]
    pub submitted_at: Timestamp,
    /// The keyed hash of sender and packet by which a repeated submit is told.
    pub fingerprint: String,
}

/// How far a handoff has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Where it stands.
    pub state: State,
    /// The highest fence given out.
    pub fence: u64,
    /// How many claims of this receiver have lapsed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lapses: u32,
    /// How many returns have failed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reworks: u32,
    /// How many rungs of the fallback the work has used up.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rung: u32,
    /// How many the judging of the return has used up: every return begins at the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub judging_rung: u32,
    /// The person who took the work over, until a person lets it go back to agents.
    #[serde(default, skip_serializing_if = "is_default")]
    pub taken_over_by: Option<PartyId>,
    /// When the receiver was first shown it.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub delivered_at: Option<Timestamp>,
    /// When the first checkpoint was left.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub started_at: Option<Timestamp>,
    /// The last sign of progress, or when it came to this receiver.
    #[expect(
        clippy::struct_field_names,
        reason = "instants end in `_at`, and this one is progress"
    )]
    #[serde(with = "serde_time")]
    pub progress_at: Timestamp,
    /// What holders had used up of this receiver's time when they gave the work back.
    #[serde(default, skip_serializing_if = "is_default")]
    pub given_back: Option<ReleasedClaim>,
    /// The newest checkpoint.
    #[serde(default, skip_serializing_if = "is_default")]
    pub checkpoint: Option<CheckpointSummary>,
    /// The revision and receiver for which a person has cleared the plain holds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub accepted: Option<Accepted>,
    /// Signatures at gates.
    #[serde(default, skip_serializing_if = "is_default")]
    pub signatures: Vec<GateSignature>,
    /// What the receiver asked and nobody has answered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub questions: Vec<OpenQuestion>,
    /// Members of the receiving role that do not take it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub declined_by: Vec<PartyId>,
    /// The handoff that passes this work on, while it is open.
    #[serde(default, skip_serializing_if = "is_default")]
    pub child: Option<HandoffId>,
    /// Who judges the return in place of the sender, after a missed deadline.
    #[serde(default, skip_serializing_if = "is_default")]
    pub judge: Option<PartyId>,
    /// Whether the packet's own `expires_at` has passed and was dealt with.
    #[serde(default, skip_serializing_if = "is_default")]
    pub has_expired: bool,
    /// The last event that nobody could be told of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub notification_failure: Option<NotificationFailure>,
    /// The number of the last leaf about it.
    pub last_n: u64,
}

/// Where a handoff stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum State {
    /// It waits for a person.
    Held(Hold),
    /// Its receiver may claim it.
    Offered(Offer),
    /// A holder works on it.
    Claimed(Claim),
    /// Its return waits to be judged.
    Returned(Returned),
    /// It ended well.
    Done,
    /// The work went on to another handoff.
    PassedOn,
    /// A person refused it.
    Rejected,
    /// It was taken back.
    Cancelled,
    /// An operator gave it up.
    Discarded,
    /// Nobody could go on; an operator may start it again.
    Dead,
}

/// Why and since when it waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// Why; never empty.
    pub reasons: Vec<HoldReason>,
    /// Since when.
    #[serde(with = "serde_time")]
    pub since: Timestamp,
    /// The claim of the holder that asked for leave. Its lease does not run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub approval_request: Option<ApprovalRequest>,
    /// Once released, not claimable before this instant: it was parked when it was held.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub not_before: Option<Timestamp>,
}

/// A holder's question: may I do exactly this?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequest {
    /// The claim that goes on when a person has decided.
    pub claim: Claim,
    /// The document of the action, by the id it is stored under.
    pub action: DecisionId,
    /// The digest of that document, which the decision names.
    pub digest: String,
    /// The number of the action's document, from 1; an edit makes a new one.
    pub version: u32,
}

/// One reason to wait for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldReason {
    /// The packet or its sender asks for it.
    Asked,
    /// Confidence is under the contract's limit.
    Confidence,
    /// The trigger needs a person.
    Trigger,
    /// A rule of the project demands it.
    Label,
    /// A holder asks leave for an action.
    Action,
    /// A gate, by the digest of its document.
    Gate(String),
}

/// Since when, and from when on, it can be claimed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// Since when.
    #[serde(with = "serde_time")]
    pub since: Timestamp,
    /// Not claimable before this instant.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub not_before: Option<Timestamp>,
}

/// Exclusive possession under a lease.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its id.
    pub id: ClaimId,
    /// Who holds it.
    pub holder: PartyId,
    /// The fence, which only grows.
    pub fence: u64,
    /// The project's claim epoch; a halt ends all claims of an older one.
    pub epoch: u64,
    /// Since when.
    #[serde(with = "serde_time")]
    pub since: Timestamp,
    /// When the lease lapses.
    #[serde(with = "serde_time")]
    pub until: Timestamp,
    /// The length of the lease, for renewing it.
    pub lease: Duration,
    /// Whether a person took it over: on lapse it goes to people.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_intercept: bool,
    /// The caller's own key for this claim: claiming again with it gives the same claim.
    #[serde(default, skip_serializing_if = "is_default")]
    pub key: Option<String>,
}

/// What came back, and from whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    /// The return packet.
    pub return_packet: ReturnId,
    /// Who returned it; rework goes there.
    pub holder: PartyId,
    /// When.
    #[serde(with = "serde_time")]
    pub since: Timestamp,
}

/// The time that giving back and taking again does not win.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasedClaim {
    /// Who gave it back last.
    pub by: PartyId,
    /// When.
    #[serde(with = "serde_time")]
    pub at: Timestamp,
    /// Their last sign of progress.
    #[serde(with = "serde_time")]
    pub quiet_since: Timestamp,
    /// How long it was claimed, all such claims together.
    pub held: Duration,
}

/// A checkpoint as the rules need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointSummary {
    /// Its id.
    pub id: CheckpointId,
    /// How many there are by now.
    pub count: u32,
    /// Whom it names to go on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub to: Option<PartyId>,
    /// The last word on confidence: its own, or that of the last one before it that had one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confidence: Option<f64>,
    /// Which checkpoint said so, from 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stated_in: u32,
    /// Triggers that checkpoints have stated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub triggers: Vec<String>,
    /// The last checkpoint whose trigger needs a person, from 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub holds_in: u32,
    /// Rules of the project whose words or patterns are in checkpoints, by name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub found: Vec<String>,
    /// The last checkpoint for which a rule demands a person, from 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub demanded_in: u32,
    /// The most that checkpoints say the work has cost here.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cost: ChainTotals,
}

/// What a person's accept covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The revision that was shown.
    pub revision: u32,
    /// The receiver at that time.
    pub receiver: PartyId,
    /// How many checkpoints there were.
    pub checkpoints: u32,
}

/// One signature at a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSignature {
    /// The digest of the gate's document.
    pub gate: String,
    /// The factor it counts for.
    pub factor: String,
    /// Who signed.
    pub person: PartyId,
    /// The revision that was read.
    pub revision: u32,
    /// The digest of that revision's packet.
    pub digest: String,
    /// The receiver at that time.
    pub receiver: PartyId,
    /// When.
    #[serde(with = "serde_time")]
    pub at: Timestamp,
    /// Whether the person refused to sign.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_denial: bool,
    /// Why they refused.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reason: Option<String>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenQuestion {
    /// Its id.
    pub id: QuestionId,
    /// Who asked.
    pub by: PartyId,
    /// Whether nobody may claim before it is answered.
    pub is_blocking: bool,
}

impl Facts {
    /// Whether the work goes back with this party: it had it before, or sent it in another's name.
    pub fn was_with(&self, party: PartyId) -> bool {
        self.lineage.contains(&party) || self.sent_by == Some(party)
    }
}

impl Handoff {
    /// The claim under which somebody works, also while the holder waits for leave.
    pub fn claim(&self) -> Option<&Claim> {
        match &self.progress.state {
            State::Claimed(claim) => Some(claim),
            State::Held(Hold { approval_request: Some(asked), .. }) => Some(&asked.claim),
            State::Held(_)
            | State::Offered(_)
            | State::Returned(_)
            | State::Done
            | State::PassedOn
            | State::Rejected
            | State::Cancelled
            | State::Discarded
            | State::Dead => None,
        }
    }

    /// What is known of the work by now, once for every trigger that packet and checkpoints have stated:
    /// whoever goes on with it gets what the checkpoints said too.
    pub fn said(&self) -> Vec<PacketSummary> {
        let mut said = self.facts.summary.clone();
        let Some(mark) = &self.progress.checkpoint else { return vec![said] };
        said.confidence = mark.confidence.or(said.confidence);
        push_new(&mut said.found, mark.found.iter().cloned());
        let stated =
            |trigger: &String| PacketSummary { trigger: Some(trigger.clone()), ..said.clone() };
        let more: Vec<PacketSummary> = mark.triggers.iter().map(stated).collect();
        std::iter::once(said).chain(more).collect()
    }

    /// The facts, to be changed.
    pub fn facts_mut(&mut self) -> &mut Facts {
        Arc::make_mut(&mut self.facts)
    }

    /// Whether its sender has to do something: judge a return, answer a question.
    pub fn awaits_sender(&self) -> bool {
        match self.progress.state {
            State::Returned(_) => true,
            State::Offered(_) => !self.progress.questions.is_empty(),
            State::Held(_)
            | State::Claimed(_)
            | State::Done
            | State::PassedOn
            | State::Rejected
            | State::Cancelled
            | State::Discarded
            | State::Dead => false,
        }
    }

    /// Whether its sender returned it, as who began a task does: whoever else may judge has to.
    pub fn is_own_return(&self) -> bool {
        self.judge() == Some(self.facts.sender)
    }

    /// Who has to judge its return in place of the sender.
    pub fn judge(&self) -> Option<PartyId> {
        if let State::Returned(_) = self.progress.state { self.progress.judge } else { None }
    }

    /// The person who took the work over, and has not let it go back to agents.
    pub fn taken_over_by(&self) -> Option<PartyId> {
        let claimed = self.claim().filter(|claim| claim.is_intercept).map(|claim| claim.holder);
        self.progress.taken_over_by.or(claimed)
    }

    /// Whoever took the work over lets it go, wherever it goes from here.
    pub fn let_go_by(&mut self, party: PartyId) {
        if self.taken_over_by() != Some(party) {
            return;
        }
        self.progress.taken_over_by = None;
        if let State::Claimed(claim) = &mut self.progress.state {
            claim.is_intercept = false;
        }
    }

    /// How many rungs are used up for what moves now: the work or, in `returned`, the judging.
    pub fn rung(&self) -> u32 {
        if let State::Returned(_) = self.progress.state {
            self.progress.judging_rung
        } else {
            self.progress.rung
        }
    }

    /// Whether it still goes anywhere by itself or by a step of its parties.
    pub fn is_open(&self) -> bool {
        self.progress.state.word().is_open()
    }
}

impl Hold {
    /// The digest of the action that its holder asks leave for.
    pub fn action(&self) -> Option<&str> {
        self.approval_request.as_ref().map(|asked| asked.digest.as_str())
    }
}

impl ApprovalRequest {
    /// The id of the document of its action, in the version that counts now.
    pub fn document(&self) -> String {
        format!("{}.{}", self.action, self.version)
    }
}

impl State {
    /// Its word.
    pub fn word(&self) -> StateWord {
        match self {
            Self::Held(_) => StateWord::Held,
            Self::Offered(_) => StateWord::Offered,
            Self::Claimed(_) => StateWord::Claimed,
            Self::Returned(_) => StateWord::Returned,
            Self::Done => StateWord::Done,
            Self::PassedOn => StateWord::PassedOn,
            Self::Rejected => StateWord::Rejected,
            Self::Cancelled => StateWord::Cancelled,
            Self::Discarded => StateWord::Discarded,
            Self::Dead => StateWord::Dead,
        }
    }
}

impl HoldReason {
    /// The word as leaves and cards have it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Confidence => "confidence",
            Self::Trigger => "trigger",
            Self::Label => "label",
            Self::Action => "action",
            Self::Gate(_) => "gate",
        }
    }
}

/// Stored rows stay small: what is not there is not written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Adds what is not there yet.
pub fn push_new(list: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for entry in more {
        if !list.contains(&entry) {
            list.push(entry);
        }
    }
}
