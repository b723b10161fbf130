//! Handoffs: the card, the details and the audit trail.

mod claim;
mod decision;
mod gate;
mod history;
mod progress;
mod question;
mod reference;
mod returns;
mod state;
mod trail;
mod upcoming;
mod verb;
mod work_tree;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use claim::{ApprovalRequest, Claim, ClaimRequest, ClaimStatement, ParkRequest, RenewRequest};
pub use decision::{
    Approval, ApprovalResult, DecisionKind, DecisionRecord, DecisionRequest, DecisionStatement,
    DecisionSummary,
};
pub use gate::{Denial, Factor, Gate, Signature};
pub use history::{ActionVersion, CheckpointRecord};
pub use progress::{CheckpointNote, Progress, Step, StepCounts};
pub use question::{AnswerRequest, OpenQuestion, QuestionRequest};
pub use returns::{Return, Verdict, VerdictRequest, VerdictResult};
pub use state::StateWord;
pub use trail::{AuditTrail, TrailEntry};
pub use upcoming::{DueFor, LadderRung, NextRung};
pub use verb::Verb;
pub use work_tree::{
    FILES_MAX, FileState, PACKET_REQUEST_MEDIA, PacketRequest, TEXT_CHARACTERS_MAX, WorkTree,
    WorkTreeFile, WorkTreeMark,
};

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::{instant, optional_instant};

/// A handoff as lists and cards show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Handoff {
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "schema::HandoffId"))]
    pub id: String,
    /// The task that is handed over.
    pub task: String,
    /// The task that the packet names, if a write-only token sent it: a label, not the id of a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_label: Option<String>,
    /// The state.
    #[cfg_attr(feature = "schema", schemars(with = "StateWord"))]
    pub state: String,
    /// The sender.
    pub from: String,
    /// The current receiver.
    pub to: String,
    /// The party that holds the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// The goal, shortened. It is left out if a gate hides the packet from the caller.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub goal: String,
    /// The current revision.
    pub revision: u32,
    /// The digest of that revision's packet.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub digest: String,
    /// The risk of a wrong handoff.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Risk"))]
    pub risk: String,
    /// The reasons why the handoff is held for a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_for: Vec<String>,
    /// The rule, gate, limit, trigger or earlier handoff behind each of these reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<HoldCause>,
    /// The people or roles that may decide; a person must belong to each of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deciders: Vec<String>,
    /// The action that the holder asks a person to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// The gates and their signatures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// The confidence of the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    pub confidence: Option<f64>,
    /// The reason for handing over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// The classification of the packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classification: Option<String>,
    /// The contract that covers the handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// The handoff whose work this one passes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::HandoffId>"))]
    pub parent: Option<String>,
    /// The handoff that passes this one's work on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::HandoffId>"))]
    pub child: Option<String>,
    /// The ids of open questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<schema::QuestionId>"))]
    pub questions: Vec<String>,
    /// The person in whose place the caller decides: they are away, and the caller is their deputy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_place_of: Option<String>,
    /// The first question that the caller must answer. Only its inbox has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// `true` if an open question blocks claiming.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocked: bool,
    /// The members of the receiving role that declined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined_by: Vec<String>,
    /// The party that returned the work, while the return waits for a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned_by: Option<String>,
    /// The return packet that waits for a verdict, which the verdict names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::ReturnId>"))]
    pub return_id: Option<String>,
    /// The party that verifies the return because the sender missed the deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// `true` if only a person may verify the return.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub person_judges: bool,
    /// The number of this receiver's attempt, from 1.
    pub attempt: u32,
    /// The number of fallback rungs used.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rung: u32,
    /// The number of failed returns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reworks: u32,
    /// The number of checkpoints.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub checkpoints: u32,
    /// The steps of the task that are done and left. It is left out for a task with very many steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<StepCounts>,
    /// The last sign of life of the holder: its claim, renewal or checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub alive_at: Option<Timestamp>,
    /// The time of submission.
    #[serde(serialize_with = "instant")]
    pub submitted_at: Timestamp,
    /// The time at which the handoff entered its state, if known.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub since: Option<Timestamp>,
    /// The next deadline. When it passes, the handoff moves on without a request.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub due_at: Option<Timestamp>,
    /// The deadline that is missed at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_for: Option<DueFor>,
    /// Where the handoff goes at that time. It is left out if it stays with its receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_rung: Option<NextRung>,
    /// The earliest time at which the handoff can be claimed.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub not_before: Option<Timestamp>,
    /// The time at which the receiver first read it.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub delivered_at: Option<Timestamp>,
    /// The time of the first checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "optional_instant")]
    pub started_at: Option<Timestamp>,
    /// The notification that could not be delivered, while its subject is still pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notification_failure: Option<NotificationFailure>,
    /// The work tree of the latest submit, begin, checkpoint or return that stated one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_tree: Option<WorkTreeMark>,
}

/// A notification that could not be delivered to any recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotificationFailure {
    /// The number of the event.
    pub event: u64,
    /// The pending action that the notification was about.
    #[cfg_attr(
        feature = "schema",
        schemars(extend("enum" = ["offer", "hold", "question", "escalation"]))
    )]
    pub wait: String,
    /// The party to notify. It is left out for a hold, which any deciding person may resolve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub party: Option<String>,
    /// The cause: no recipient has a channel, or every channel failed, email among them or not.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["no_channel", "failed", "mail_failed"])))]
    pub because: String,
    /// The time at which the failure was recorded.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
}

/// An action that a person is asked to approve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Action {
    /// The id of the action's document.
    pub id: String,
    /// The digest of that document, which a decision names.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub digest: String,
}

/// The cause of a hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HoldCause {
    /// The reason: `asked`, `confidence`, `trigger`, `label`, `action`, `changed` or `gate`.
    pub reason: String,
    /// The cause, such as `rule:money-movement`, `gate:release`, `trigger:error` or `handoff:hof_…`.
    pub by: String,
    /// A sentence about it for people.
    pub text: String,
}

/// A handoff with its packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HandoffDetails {
    /// The handoff.
    pub handoff: Handoff,
    /// The reference that a decision names, with the id and the version of the handoff.
    pub reference: String,
    /// The packet of the current revision, unless the request excludes it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[cfg_attr(feature = "schema", schemars(with = "schema::Packet"))]
    pub packet: Value,
    /// The action that the holder asks a person to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Value>,
    /// The latest decision about an action of a holder, with the action that may be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// The open questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<OpenQuestion>,
    /// The decisions about the handoff, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionSummary>,
    /// The rungs of its fallback ladder, first to last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ladder: Vec<LadderRung>,
    /// The claim of the caller, if the caller holds the handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The commands that state and rules allow the caller now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<Verb>,
    /// The progress of the work: what is done and left now, and the checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// The statement of the latest claimer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_statement: Option<ClaimStatement>,
    /// The latest return packet, with its verdict.
    #[serde(rename = "return", default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<Return>,
    /// The work tree of the latest submit, begin, checkpoint or return that stated one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_tree: Option<WorkTree>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
