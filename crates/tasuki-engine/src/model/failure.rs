//! A failure that the sender and the operators see until each has acknowledged it.
//!
//! It is derived from the handoff: a rejection, a dead letter, or a notification that reached no
//! one while its subject is pending. Its number only grows, so that an acknowledgement covers the
//! failure that a person saw, and no later one. Acknowledgements are in the store, not in the log.

use serde::{Deserialize, Serialize};

use crate::model::{Handoff, NotificationFailure, State};

/// A failure of a handoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The number of the event that failed, or that records the failure.
    pub n: u64,
}

/// The kinds of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A person rejected the handoff.
    Rejected,
    /// The handoff has no receiver left.
    Dead,
    /// No recipient could be notified.
    NotificationFailed,
}

impl FailureKind {
    /// Returns the name used in the interface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Dead => "dead",
            Self::NotificationFailed => "notification_failed",
        }
    }
}

/// Returns the current failure of a handoff.
pub fn of(handoff: &Handoff) -> Option<Failure> {
    let ended = |kind| Some(Failure { kind, n: handoff.progress.last_n });
    match handoff.progress.state {
        State::Rejected => ended(FailureKind::Rejected),
        State::Dead => ended(FailureKind::Dead),
        State::Held(_)
        | State::Offered(_)
        | State::Claimed(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Cancelled
        | State::Discarded => notification_failure(handoff)
            .map(|failure| Failure { kind: FailureKind::NotificationFailed, n: failure.event }),
    }
}

/// Returns the notification failure of the current wait, or of the one that led to the dead letter.
pub fn notification_failure(handoff: &Handoff) -> Option<&NotificationFailure> {
    let since = match &handoff.progress.state {
        State::Held(hold) => hold.since,
        State::Offered(offer) => offer.since,
        State::Returned(returned) => returned.since,
        State::Dead => handoff.progress.progress_at,
        State::Claimed(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded => return None,
    };
    handoff.progress.notification_failure.as_ref().filter(|failure| since <= failure.at)
}
