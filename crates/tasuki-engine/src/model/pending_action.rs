//! Something that waits for a person, and the record that no recipient could be notified of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_packet::id::{HandoffId, PartyId, QuestionId};

use crate::model::serde_time;

/// What of a handoff waits for a person, since one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PendingAction {
    /// The handoff.
    pub handoff: HandoffId,
    /// The number of the event.
    pub n: u64,
    /// Its time.
    pub at: Timestamp,
    /// What waits.
    pub kind: PendingKind,
    /// The question that waits for an answer.
    pub question: Option<QuestionId>,
}

/// What waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PendingKind {
    /// Work that somebody may take.
    Offer,
    /// A decision.
    Hold,
    /// An answer.
    Question,
    /// Work, or the judging of a return, that has come up the ladder.
    Escalation,
}

impl PendingKind {
    /// The word as leaves and cards have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Hold => "hold",
            Self::Question => "question",
            Self::Escalation => "escalation",
        }
    }
}

/// The last event that nobody could be told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotificationFailure {
    /// Its number.
    pub event: u64,
    /// What waited.
    pub wait: PendingKind,
    /// Who should have been told; none for a hold, which is for whoever decides.
    pub party: Option<PartyId>,
    /// Why nobody was.
    pub because: UndeliverableReason,
    /// When that was known.
    #[serde(with = "serde_time")]
    pub at: Timestamp,
}

/// Why nobody was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UndeliverableReason {
    /// None of those it is for has a channel.
    NoChannel,
    /// Every channel of theirs has failed for good.
    Failed,
}

impl UndeliverableReason {
    /// The word as leaves and cards have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoChannel => "no_channel",
            Self::Failed => "failed",
        }
    }
}
