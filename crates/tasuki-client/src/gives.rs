//! What comes back beside the bodies of [`tasuki_api`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tasuki_api as api;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
}

/// A handoff with its packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HandoffDetails {
    /// The handoff.
    pub handoff: api::Handoff,
    /// The packet.
    pub packet: Value,
    /// The action that its holder asks leave for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Value>,
    /// What was asked and waits for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<api::OpenQuestion>,
    /// What its newest claimer said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_statement: Option<api::ClaimStatement>,
    /// What came back last.
    #[serde(rename = "return", default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<api::Return>,
}

/// Who the caller is, and what they may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whoami {
    /// The party.
    pub party: String,
    /// `agent` or `human`.
    pub kind: String,
    /// The project.
    pub project: Option<String>,
    /// What the credential is good for.
    pub scopes: Vec<String>,
}

/// The audit trail of a handoff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trail {
    /// The handoff.
    pub handoff: String,
    /// Every leaf about it, with its hash.
    pub audit_trail: Vec<Value>,
}

/// Something that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The number of the event that brought it.
    pub n: u64,
    /// The handoff.
    pub handoff: Option<String>,
    /// What it is.
    pub kind: String,
    /// The text around the words.
    pub excerpt: String,
}

/// A contract as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractLine {
    /// Its name.
    pub contract: String,
    /// Its version.
    pub version: String,
    /// Who may hand over.
    pub from: Vec<String>,
    /// To whom.
    pub to: Vec<String>,
    /// Its digest.
    pub digest: String,
}

/// A contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractShown {
    /// The document.
    pub document: Value,
    /// The schemas that it refers to.
    pub schemas: BTreeMap<String, Value>,
    /// Its digest.
    pub digest: String,
}

/// A gate as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateLine {
    /// Its name.
    pub gate: String,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: String,
}

/// A gate or the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The document.
    pub document: Value,
    /// Its digest.
    pub digest: String,
}

/// A project and its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the interface calls the name of a project so")]
pub struct Project {
    /// Its name.
    pub project: Option<String>,
    /// Its id.
    pub id: String,
    /// Whether nobody can claim.
    pub halted: bool,
    /// Every setting.
    pub settings: Map<String, Value>,
}

/// What a check of the log found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogChecked {
    /// Whether nothing is wrong.
    pub intact: bool,
    /// The first leaf that was checked.
    pub from: u64,
    /// How many leaves are good.
    pub leaves: u64,
    /// How many documents are good.
    pub documents: u64,
    /// The hash of the last good leaf.
    pub hash: String,
    /// The first leaf that is wrong.
    pub first_bad: Option<u64>,
    /// What is wrong with it.
    pub problem: Option<String>,
    /// Whether it is that a trail and the log differ: one of them was changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_trail: bool,
}

/// What is said of a packet that was only checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validated {
    /// Whether nothing is wrong.
    pub valid: bool,
    /// The form it is in.
    pub form: Option<String>,
    /// The variant it was checked against.
    pub variant: Option<String>,
    /// The dialect it is in, if that is not our own.
    pub dialect: Option<String>,
    /// Its digest, if it is valid.
    pub digest: Option<String>,
    /// Everything that is wrong.
    pub violations: Vec<Value>,
}

/// What became of a replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replayed {
    /// Every attempt, in order.
    pub deliveries: Vec<api::Delivery>,
    /// Where to go on: an attempt failed, or there was more than one request delivers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}
