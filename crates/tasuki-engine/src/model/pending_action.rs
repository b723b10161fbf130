//! An action that waits for a person, and the record that no recipient could be notified of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_packet::id::{HandoffId, PartyId, QuestionId};

use crate::model::{FailureKind, serde_time};

/// An action that waits for a person since one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PendingAction {
    /// The handoff.
    pub handoff: HandoffId,
    /// The number of the event.
    pub n: u64,
    /// The time of the event.
    pub at: Timestamp,
    /// The kind of action.
    pub kind: PendingKind,
    /// The question to answer, if any.
    pub question: Option<QuestionId>,
}

/// The kinds of actions that wait for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingKind {
    /// Work to claim.
    Offer,
    /// A hold to decide.
    Hold,
    /// A question to answer.
    Question,
    /// Work, or the judging of a return, that has moved up the ladder.
    Escalation,
    /// A rejection, a dead letter or a failed notification to acknowledge.
    Failure(FailureKind),
}

impl PendingKind {
    /// Returns the name used in leaves and on cards.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Hold => "hold",
            Self::Question => "question",
            Self::Escalation => "escalation",
            Self::Failure(kind) => kind.as_str(),
        }
    }
}

/// The last event that could not be delivered to any recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotificationFailure {
    /// The number of the event.
    pub event: u64,
    /// The kind of action that was waiting.
    pub wait: PendingKind,
    /// The intended recipient; `None` for a hold, which any decider may take.
    pub party: Option<PartyId>,
    /// The reason of the failure.
    pub because: UndeliverableReason,
    /// When the failure was recorded.
    #[serde(with = "serde_time")]
    pub at: Timestamp,
}

/// The reasons why no recipient could be notified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndeliverableReason {
    /// No recipient has a channel.
    NoChannel,
    /// Every channel of every recipient has failed permanently, none of them email.
    Failed,
    /// Every channel of every recipient has failed permanently, email among them.
    MailFailed,
}

impl UndeliverableReason {
    /// Returns the name used in leaves and on cards.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoChannel => "no_channel",
            Self::Failed => "failed",
            Self::MailFailed => "mail_failed",
        }
    }
}
