//! Decisions of people.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Secret;
#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::{instant, null_default};
use crate::word_enum::word_enum;

word_enum! {
    /// The kind of a decision.
    pub enum DecisionKind {
        /// Approves a held handoff.
        Accept = "accept",
        /// Signs at a gate, or refuses to.
        SignOff = "sign_off",
        /// Rejects the handoff.
        Reject = "reject",
        /// Sends the handoff to another receiver.
        Reroute = "reroute",
        /// Takes the work over.
        Intercept = "intercept",
        /// Withdraws the handoff.
        Cancel = "cancel",
    }
}

/// A decision, and the version of the handoff that it is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DecisionRequest {
    /// The kind of the decision.
    pub decision: DecisionKind,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The new receiver, for a reroute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The gate to sign, if more than one is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// The meaning of the signature, one of those that the gate allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// `true` to refuse to sign.
    #[serde(
        default,
        deserialize_with = "null_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub deny: bool,
    /// The revision that the person saw. The decision is refused if it is not current. Required to
    /// accept and to sign off, unless `If-Match` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(max = u32::MAX)))]
    pub revision: Option<u32>,
    /// The digest that the person saw: the action's while one waits for approval, else the packet's.
    /// Required to accept and to sign off, unless `If-Match` names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Digest>"))]
    pub digest: Option<String>,
    /// The receiver that the person saw. The decision is refused if it has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receiver: Option<String>,
    /// The number of seconds that the person looked at the handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// The parts that the person opened, such as `packet` or `evidence`.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub opened: Vec<String>,
    /// The person's password, typed for this signature. A session alone may be an unlocked screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
}

impl DecisionRequest {
    /// Creates a decision that is bound to no version.
    pub fn new(decision: DecisionKind) -> Self {
        Self {
            decision,
            reason: None,
            to: None,
            gate: None,
            meaning: None,
            deny: false,
            revision: None,
            digest: None,
            receiver: None,
            seconds: None,
            opened: Vec::new(),
            password: None,
        }
    }
}

/// A decision of a person, with the packet that they saw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionRecord {
    /// The number of the event.
    pub n: u64,
    /// The time of the decision.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Instant"))]
    pub at: String,
    /// The handoff.
    #[cfg_attr(feature = "schema", schemars(with = "schema::HandoffId"))]
    pub handoff: String,
    /// The task of the handoff.
    pub task: String,
    /// The person who decided.
    pub person: String,
    /// The decision.
    pub decision: String,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The meaning of a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// The gate that was signed, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// The parts that the person reports to have opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// The number of seconds that the person looked at the handoff, as they reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// The revision that the person saw.
    pub revision: u64,
    /// The packet that the person saw.
    #[cfg_attr(feature = "schema", schemars(with = "schema::JsonObject"))]
    pub packet: Value,
    /// The action that the decision is about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Value>,
    /// The result of the person's edit: the edited action if there is one, otherwise the packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Value>,
}

/// A decision about a handoff, as its details list it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionSummary {
    /// The id of the decision.
    pub id: String,
    /// The decision: `accept`, `sign_off`, `deny`, `reject`, `edit`, `reroute`, `intercept`, `cancel`.
    pub decision: String,
    /// The party that decided.
    pub by: String,
    /// The person in whose place a deputy decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<String>,
    /// The time of the decision.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The revision that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u64>,
    /// The digest of the packet or action that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Digest>"))]
    pub digest: Option<String>,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The meaning of a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// The gate that was signed, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// The parts that the person reports to have opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// The number of seconds that the person reports to have needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

word_enum! {
    /// The result of a request for approval.
    pub enum ApprovalResult {
        /// A person approved the action as it was asked for.
        Approved = "approved",
        /// A person changed the action and approved it as changed.
        Edited = "edited",
        /// A person rejected the action.
        Rejected = "rejected",
    }
}

/// The latest decision about an action that the holder asked to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Approval {
    /// The id of the decision.
    pub decision: String,
    /// The result.
    pub result: ApprovalResult,
    /// The person who decided.
    pub by: String,
    /// The time of the decision.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of the action that the holder asked for.
    #[cfg_attr(feature = "schema", schemars(with = "schema::Digest"))]
    pub requested: String,
    /// The action that the holder may run, exactly as it was approved. It is left out if the action
    /// was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Value>,
}

/// The statements of a person in a decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionStatement {
    /// The gate that was signed, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// The meaning of a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// The parts that the person reports to have opened.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// The number of seconds that the person reports to have needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}
