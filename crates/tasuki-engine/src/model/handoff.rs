//! A handoff and its state.
//!
//! A handoff has two halves: `Facts`, which change with a revision or a route, and `Progress`,
//! which changes with every step. They are stored in separate rows (docs/decisions/0008), so that a
//! claim does not rewrite the facts.
//!
//! | from | steps | to |
//! |---|---|---|
//! | - | begin; submit | claimed; held or offered |
//! | held | accept, sign off; reject; withdraw; edit, revise | offered or claimed; rejected or claimed; claimed; held |
//! | offered | claim; ask, revise, edit; decline | claimed; offered; next rung |
//! | claimed | checkpoint, renew; request approval; park, release, expiry; pass on; return | claimed; held; offered; claimed until the child is claimed; returned or done |
//! | returned | verify | done, or offered for rework |
//! | any open | reroute, intercept; deadline; cancel | held, offered or claimed; next rung; cancelled |
//! | dead | redrive, discard | held or offered; discarded |

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tasuki_api::StateWord;
use tasuki_packet::canonical;
use tasuki_packet::chain::ChainTotals;
use tasuki_packet::chain::continuation::StepKeys;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{
    CheckpointId, ClaimId, DecisionId, HandoffId, PartyId, QuestionId, ReturnId,
};
use tasuki_packet::leaf::Hash;

use crate::model::document::hash_of_digest;
use crate::model::{Budget, NotificationFailure, PacketSummary, RiskWord, Terms, serde_time};

/// A transfer of a task from a sender to a receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct Handoff {
    /// Its id.
    pub id: HandoffId,
    /// The half that changes with a revision or a route.
    pub facts: Arc<Facts>,
    /// The half that changes with every step.
    pub progress: Progress,
}

/// The subject, parties and terms of a handoff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The task.
    pub task: String,
    /// The task that the packet names, if it is only a label: a write-only token opens a new task.
    #[serde(default, skip_serializing_if = "is_default")]
    pub task_label: Option<String>,
    /// The sender.
    pub sender: PartyId,
    /// The current receiver.
    pub receiver: PartyId,
    /// The original receiver, to which a redrive returns.
    pub first_receiver: PartyId,
    /// The revision in which a route brought it to the current receiver; 0 if none did.
    #[serde(default, skip_serializing_if = "is_default")]
    pub routed_in: u32,
    /// `true` if a party opened the task for itself.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_begun: bool,
    /// The number of the current revision, starting at 1.
    pub revision: u32,
    /// The parts of the packet that the rules need.
    pub summary: PacketSummary,
    /// The terms that contract, gates and project set.
    pub terms: Terms,
    /// The handoff whose work this one passes on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub parent: Option<HandoffId>,
    /// The parties that had the work before, oldest first.
    pub lineage: Vec<PartyId>,
    /// The agent that sent the first packet of the chain on behalf of another party.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sent_by: Option<PartyId>,
    /// The cost of the chain so far, as stated by its packets.
    #[serde(default, skip_serializing_if = "is_default")]
    pub spent: ChainTotals,
    /// The budget of the chain.
    #[serde(default, skip_serializing_if = "is_default")]
    pub budget: Budget,
    /// When the first handoff of the chain was submitted.
    #[serde(with = "serde_time")]
    pub chain_began_at: Timestamp,
    /// The authors of all revisions, and the parties they acted for. None may sign at a gate.
    pub contributors: Vec<PartyId>,
    /// When it was submitted.
    #[serde(with = "serde_time")]
    pub submitted_at: Timestamp,
    /// The keyed hash of sender and packet that detects a repeated submit.
    pub fingerprint: String,
}

/// The progress of a handoff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// The state.
    pub state: State,
    /// The highest fence issued.
    pub fence: u64,
    /// The number of claims by this receiver that have expired.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lapses: u32,
    /// The number of failed returns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reworks: u32,
    /// The number of fallback rungs that the work has used.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rung: u32,
    /// The number of fallback rungs that judging the return has used; every return starts at 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub judging_rung: u32,
    /// The person who took the work over, until a person hands it back to agents.
    #[serde(default, skip_serializing_if = "is_default")]
    pub taken_over_by: Option<PartyId>,
    /// When the receiver first saw it.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub delivered_at: Option<Timestamp>,
    /// When the first checkpoint was recorded.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub started_at: Option<Timestamp>,
    /// The last sign of progress, or when it reached this receiver.
    #[expect(
        clippy::struct_field_names,
        reason = "instants end in `_at`, and this one is progress"
    )]
    #[serde(with = "serde_time")]
    pub progress_at: Timestamp,
    /// The time that holders of this receiver had used when they released the work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub given_back: Option<ReleasedClaim>,
    /// The newest checkpoint.
    #[serde(default, skip_serializing_if = "is_default")]
    pub checkpoint: Option<CheckpointSummary>,
    /// A person's acceptance, which clears the plain holds for one revision and receiver.
    #[serde(default, skip_serializing_if = "is_default")]
    pub accepted: Option<Accepted>,
    /// The last decision of a person about the task, or the hold that waits for the first one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reviewed: Option<Reviewed>,
    /// The earlier handoff whose decision does not cover the packet, until a person accepts it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub changed: Option<HandoffId>,
    /// Signatures at gates.
    #[serde(default, skip_serializing_if = "is_default")]
    pub signatures: Vec<GateSignature>,
    /// The members of the roles that sign at its gates, when each gate was bound.
    #[serde(default, skip_serializing_if = "is_default")]
    pub signing_roles: Vec<RoleMembers>,
    /// The digests of the due sign-offs that people gave to this work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub signed_off: Vec<String>,
    /// Unanswered questions of the receiver, or of people who decide.
    #[serde(default, skip_serializing_if = "is_default")]
    pub questions: Vec<OpenQuestion>,
    /// Members of the receiving role that have declined.
    #[serde(default, skip_serializing_if = "is_default")]
    pub declined_by: Vec<PartyId>,
    /// The open handoff that passes this work on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub child: Option<HandoffId>,
    /// The party that judges the return instead of the sender, after a missed deadline. It is the
    /// sender itself if the sender may not judge, and any other verifier must.
    #[serde(default, skip_serializing_if = "is_default")]
    pub judge: Option<PartyId>,
    /// `true` once the packet's `expires_at` has passed and been handled.
    #[serde(default, skip_serializing_if = "is_default")]
    pub has_expired: bool,
    /// When a task that a program began by itself ends, unless a checkpoint postpones it. Such a task
    /// has no ladder and waits for no one.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub ends_at: Option<Timestamp>,
    /// The last event that could not be delivered to any recipient.
    #[serde(default, skip_serializing_if = "is_default")]
    pub notification_failure: Option<NotificationFailure>,
    /// The work tree of the latest command that stated one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub work_tree: Option<WorkTreeMark>,
    /// The number of its last leaf.
    pub last_n: u64,
}

/// The work tree that a command was sent from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkTreeMark {
    /// The id of the work tree.
    pub id: String,
    /// The branch, unless `HEAD` was detached.
    #[serde(default, skip_serializing_if = "is_default")]
    pub branch: Option<String>,
    /// The time of the command.
    #[serde(with = "serde_time")]
    pub at: Timestamp,
}

/// The state of a handoff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum State {
    /// Waits for a person.
    Held(Hold),
    /// Can be claimed by its receiver.
    Offered(Offer),
    /// Is being worked on by a holder.
    Claimed(Claim),
    /// Has a return that waits for a verdict.
    Returned(Returned),
    /// Completed successfully.
    Done,
    /// Replaced by another handoff that the work was passed on to.
    PassedOn,
    /// Rejected by a person.
    Rejected,
    /// Cancelled.
    Cancelled,
    /// Given up by an operator.
    Discarded,
    /// Has no receiver left; an operator may redrive it.
    Dead,
}

/// A hold: reasons, start and pending approval request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The reasons; never empty.
    pub reasons: Vec<HoldReason>,
    /// When the hold began.
    #[serde(with = "serde_time")]
    pub since: Timestamp,
    /// The approval request of the holder. The lease of its claim is suspended.
    #[serde(default, skip_serializing_if = "is_default")]
    pub approval_request: Option<Box<ApprovalRequest>>,
    /// The instant before which it cannot be claimed, because it was parked when it was held.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub not_before: Option<Timestamp>,
    /// The people who may clear it. They must be one of each; any person may if there are none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deciders: Vec<Decider>,
    /// The instant at which the time of a decider last ended, so that more people may decide.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub escalated_at: Option<Timestamp>,
}

/// A person or role to whom rule, contract or requester leave a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decider {
    /// The name of the person or role.
    pub by: String,
    /// The document or party that names it: `rule:NAME`, `contract:NAME@VERSION`, `packet`, `holder`.
    pub named_by: String,
    /// The instant from which any person may decide.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub until: Option<Timestamp>,
}

/// A holder's request to approve an exact action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequest {
    /// The claim that resumes after the decision.
    pub claim: Claim,
    /// The id of the action's document.
    pub action: DecisionId,
    /// The digest of that document, which the decision names.
    pub digest: String,
    /// The version of the action's document, starting at 1; an edit creates a new one.
    pub version: u32,
    /// `true` if the task was begun for this request and ends with it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ends_task: bool,
    /// The digest of the due sign-off that the action asks for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sign_off: Option<String>,
    /// The names of the rules that apply to the action.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rules: Vec<String>,
    /// The risk of the action; at least medium, because its holder asks before it acts.
    pub risk: RiskWord,
}

/// A reason to wait for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HoldReason {
    /// The packet or its sender asks for a person.
    Asked,
    /// The confidence is below the contract's limit.
    Confidence,
    /// The trigger requires a person.
    Trigger,
    /// A rule of the project requires a person.
    Label,
    /// A holder asks for approval of an action.
    Action,
    /// No person has approved these bytes of the task since the decision about this handoff.
    Changed(HandoffId),
    /// A gate, identified by the digest of its document.
    Gate(String),
}

/// An offer: its start and its earliest claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// When it was offered.
    #[serde(with = "serde_time")]
    pub since: Timestamp,
    /// The instant before which it cannot be claimed.
    #[serde(default, skip_serializing_if = "is_default", with = "serde_time::option")]
    pub not_before: Option<Timestamp>,
}

/// Exclusive possession of a handoff under a lease.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its id.
    pub id: ClaimId,
    /// The holder.
    pub holder: PartyId,
    /// The fence, which only increases.
    pub fence: u64,
    /// The claim epoch of the project; a halt ends all claims of older epochs.
    pub epoch: u64,
    /// When it was claimed.
    #[serde(with = "serde_time")]
    pub since: Timestamp,
    /// When the lease expires.
    #[serde(with = "serde_time")]
    pub until: Timestamp,
    /// The length of the lease, used to renew it.
    pub lease: Duration,
    /// `true` if a person took the work over. When such a claim expires, the work goes to people.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_intercept: bool,
    /// The hash of the caller's key for this claim. Claiming again with the same key returns the same claim.
    #[serde(default, skip_serializing_if = "is_default")]
    pub key: Option<String>,
}

/// A return that waits for a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returned {
    /// The return packet.
    pub return_packet: ReturnId,
    /// The holder who returned it, and who gets rework.
    pub holder: PartyId,
    /// When it was returned, or assigned to its present verifier.
    #[serde(with = "serde_time")]
    pub since: Timestamp,
    /// How long the verdict may take, decided at that time. Later members of a role do not change
    /// it.
    pub verify: Option<Duration>,
    /// The texts of the sign-offs that were due before the return and not given. Only an unfinished
    /// return lacks any, and it cannot pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsigned: Vec<String>,
}

/// The time used by released claims, so that releasing and claiming again gains no time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasedClaim {
    /// The last holder who released it.
    pub by: PartyId,
    /// When it was released.
    #[serde(with = "serde_time")]
    pub at: Timestamp,
    /// The last sign of progress of that holder.
    #[serde(with = "serde_time")]
    pub quiet_since: Timestamp,
    /// The total duration of all released claims.
    pub held: Duration,
}

/// The parts of a checkpoint that the rules need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointSummary {
    /// Its id.
    pub id: CheckpointId,
    /// The number of checkpoints so far.
    pub count: u32,
    /// The party that it names to continue the work.
    #[serde(default, skip_serializing_if = "is_default")]
    pub to: Option<PartyId>,
    /// The latest stated confidence, from this checkpoint or an earlier one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub confidence: Option<f64>,
    /// The number of the checkpoint that stated the confidence, starting at 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stated_in: u32,
    /// Triggers that checkpoints have stated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub triggers: Vec<String>,
    /// The number of the last checkpoint whose trigger requires a person, starting at 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub holds_in: u32,
    /// The names of project rules whose words or patterns occur in checkpoints.
    #[serde(default, skip_serializing_if = "is_default")]
    pub found: Vec<String>,
    /// The number of the last checkpoint for which a rule requires a person, starting at 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub demanded_in: u32,
    /// The highest cost that checkpoints have stated.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cost: ChainTotals,
    /// The steps of all checkpoints so far, unless there are too many to store.
    #[serde(default, skip_serializing_if = "is_default")]
    pub steps: Option<StepKeys>,
}

/// The scope of a person's acceptance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The revision that was shown.
    pub revision: u32,
    /// The receiver at that time.
    pub receiver: PartyId,
    /// The number of checkpoints at that time.
    pub checkpoints: u32,
}

/// The last decision of a person about a task, or the hold that waits for the first one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reviewed {
    /// The handoff that it was about.
    pub handoff: HandoffId,
    /// When it was made.
    #[serde(with = "serde_time")]
    pub at: Timestamp,
    /// The digest of the packet that it approved.
    #[serde(default, skip_serializing_if = "is_default")]
    pub digest: Option<String>,
}

/// A signature at a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSignature {
    /// The digest of the gate's document.
    pub gate: String,
    /// The factor that it counts for.
    pub factor: String,
    /// The signer.
    pub person: PartyId,
    /// The revision that was read.
    pub revision: u32,
    /// The digest of that revision's packet.
    pub digest: String,
    /// The receiver at that time.
    pub receiver: PartyId,
    /// When it was given.
    #[serde(with = "serde_time")]
    pub at: Timestamp,
    /// `true` if the person joined the role after the handoff was submitted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub joined_after_submit: bool,
    /// `true` if the person refused to sign.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_denial: bool,
    /// The reason of a refusal.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reason: Option<String>,
}

/// The members of a role at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleMembers {
    /// The role.
    pub role: PartyId,
    /// Its members, in the order of their ids.
    pub members: Vec<PartyId>,
}

impl RoleMembers {
    /// Returns the digest of the role and its members, which the leaf of a signature carries. Ids are
    /// random, so it reveals no name.
    pub fn digest(&self) -> Hash {
        let value = serde_json::to_value(self).unwrap_or_default();
        hash_of_digest(&canonical::digest(&value))
    }
}

/// An unanswered question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenQuestion {
    /// Its id.
    pub id: QuestionId,
    /// The party that asked.
    pub by: PartyId,
    /// `true` if the handoff cannot be claimed before it is answered.
    pub is_blocking: bool,
}

impl Facts {
    /// Returns `true` if this names the task, by its id or by the label that the sender gave it.
    pub fn is_task(&self, name: &str) -> bool {
        self.task == name || self.task_label.as_deref() == Some(name)
    }

    /// Returns `true` if this party had the work before, or sent it on behalf of another.
    pub fn was_with(&self, party: PartyId) -> bool {
        self.lineage.contains(&party) || self.sent_by == Some(party)
    }
}

impl Handoff {
    /// Returns the active claim, including one that is suspended by an approval request.
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

    /// Returns the number of steps that are done and left after the newest checkpoint.
    pub fn step_counts(&self) -> Option<(u32, u32)> {
        let packet = self.facts.summary.steps.as_ref()?;
        match &self.progress.checkpoint {
            None => Some(packet.counts()),
            Some(checkpoint) => Some(packet.then(checkpoint.steps.as_ref()?)?.counts()),
        }
    }

    /// Returns the last sign of life of the holder: its claim, renewal or checkpoint.
    pub fn alive_at(&self) -> Option<Timestamp> {
        let claim = self.claim()?;
        // A lease runs from its last renewal.
        let lease = SignedDuration::from_millis(i64::try_from(claim.lease.milliseconds()).ok()?);
        let renewed = claim.until.checked_sub(lease).unwrap_or(claim.since);
        Some(renewed.max(claim.since).max(self.progress.progress_at))
    }

    /// Returns the combined summary of packet and checkpoints, once for every trigger they have
    /// stated. A later receiver also gets what the checkpoints stated.
    pub fn said(&self) -> Vec<PacketSummary> {
        let mut summary = self.facts.summary.clone();
        let Some(checkpoint) = &self.progress.checkpoint else { return vec![summary] };
        summary.confidence = checkpoint.confidence.or(summary.confidence);
        push_new(&mut summary.found, checkpoint.found.iter().cloned());
        let stated =
            |trigger: &String| PacketSummary { trigger: Some(trigger.clone()), ..summary.clone() };
        let more: Vec<PacketSummary> = checkpoint.triggers.iter().map(stated).collect();
        std::iter::once(summary).chain(more).collect()
    }

    /// Returns the facts for modification.
    pub fn facts_mut(&mut self) -> &mut Facts {
        Arc::make_mut(&mut self.facts)
    }

    /// Returns `true` if the sender must act: judge a return or answer a question.
    pub fn awaits_sender(&self) -> bool {
        match self.progress.state {
            State::Returned(_) => true,
            State::Offered(_) | State::Held(Hold { approval_request: None, .. }) => {
                !self.progress.questions.is_empty()
            }
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

    /// Returns `true` if the sender may not judge the return, so that another party must: the
    /// sender returned its own task, or the contract requires a person and the sender is none.
    pub fn is_left_to_others(&self) -> bool {
        self.judge() == Some(self.facts.sender)
    }

    /// Returns the party that must judge the return instead of the sender.
    pub fn judge(&self) -> Option<PartyId> {
        if let State::Returned(_) = self.progress.state { self.progress.judge } else { None }
    }

    /// Returns the person who took the work over and has not handed it back to agents.
    pub fn taken_over_by(&self) -> Option<PartyId> {
        let claimed = self.claim().filter(|claim| claim.is_intercept).map(|claim| claim.holder);
        self.progress.taken_over_by.or(claimed)
    }

    /// Ends the takeover by this party, if there is one.
    pub fn let_go_by(&mut self, party: PartyId) {
        if self.taken_over_by() != Some(party) {
            return;
        }
        self.progress.taken_over_by = None;
        if let State::Claimed(claim) = &mut self.progress.state {
            claim.is_intercept = false;
        }
    }

    /// Returns the number of rungs used by the work or, in `returned`, by the judging.
    pub fn rung(&self) -> u32 {
        if let State::Returned(_) = self.progress.state {
            self.progress.judging_rung
        } else {
            self.progress.rung
        }
    }

    /// Returns the risk that lists and events show: that of the work and of the action that waits
    /// for approval.
    pub fn risk(&self) -> RiskWord {
        let own = self.facts.terms.risk;
        if let State::Held(Hold { approval_request: Some(asked), .. }) = &self.progress.state {
            own.max(asked.risk)
        } else {
            own
        }
    }

    /// Returns `true` if deadlines or steps of its parties can still move it.
    pub fn is_open(&self) -> bool {
        self.progress.state.word().is_open()
    }
}

impl Hold {
    /// Returns the instant from which the people who may decide now wait for it.
    pub fn pending_since(&self) -> Timestamp {
        self.escalated_at.map_or(self.since, |at| at.max(self.since))
    }

    /// Returns the digest of the action that waits for approval.
    pub fn action(&self) -> Option<&str> {
        self.approval_request.as_ref().map(|asked| asked.digest.as_str())
    }
}

impl ApprovalRequest {
    /// Returns the id of the current version of the action's document.
    pub fn document(&self) -> String {
        format!("{}.{}", self.action, self.version)
    }
}

impl State {
    /// Returns the name of the state.
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
    /// Returns the name used in leaves and on cards.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Confidence => "confidence",
            Self::Trigger => "trigger",
            Self::Label => "label",
            Self::Action => "action",
            Self::Changed(_) => "changed",
            Self::Gate(_) => "gate",
        }
    }
}

/// Returns `true` for a default value, which is left out of stored rows.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Appends the entries that are not in the list yet.
pub fn push_new(list: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for entry in more {
        if !list.contains(&entry) {
            list.push(entry);
        }
    }
}
