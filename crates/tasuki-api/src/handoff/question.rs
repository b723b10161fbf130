//! Questions of receivers and answers of senders.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tasuki_packet::id::QuestionId;

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::null_default;

/// A question that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenQuestion {
    /// The id.
    #[cfg_attr(feature = "schema", schemars(with = "schema::QuestionId"))]
    pub id: String,
    /// The party that asked.
    pub by: String,
    /// The question.
    pub question: String,
    /// The field of the packet that the question is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// `true` if the handoff cannot be claimed before the answer.
    pub blocking: bool,
}

/// A question of a receiver to the sender.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QuestionRequest {
    /// The question.
    pub question: String,
    /// The field of the packet that the question is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// `true` to prevent claims until the question is answered.
    #[serde(
        default,
        deserialize_with = "null_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub blocking: bool,
}

/// An answer of the sender: a text, a revised packet, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    /// The question. It may be left out if only one is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::QuestionId>"))]
    pub question: Option<QuestionId>,
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The revised packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Packet>"))]
    pub packet: Option<Value>,
}
