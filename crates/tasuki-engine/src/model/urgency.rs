//! The sort position of a handoff in an inbox.
//!
//! A position is a value of its own, so a reader can continue after it even if the handoff has
//! moved.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use tasuki_packet::id::HandoffId;

use crate::model::{Handoff, State};

/// A sort position: high risk first, then the longest time in the current state, then the older id.
/// In the order of deadlines it is the deadline, then the older id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Urgency {
    /// The priority of its risk; zero in the order of deadlines.
    pub priority: u8,
    /// When it entered its state, or its deadline, in microseconds since the Unix epoch.
    pub since: i64,
    /// The handoff.
    pub id: HandoffId,
}

impl Urgency {
    /// Returns the position of a handoff.
    pub fn of(handoff: &Handoff) -> Self {
        let priority = handoff.risk().priority();
        Self { priority, since: since(handoff).as_microsecond(), id: handoff.id }
    }

    /// Returns the position of a handoff with this deadline in the order of deadlines. Without one it
    /// is behind all others.
    pub fn by_deadline(id: HandoffId, due_at: Option<Timestamp>) -> Self {
        Self { priority: 0, since: deadline_microseconds(due_at), id }
    }
}

/// Returns when a handoff entered its state. For a closed one this is its last progress.
pub fn since(handoff: &Handoff) -> Timestamp {
    match &handoff.progress.state {
        State::Held(hold) => hold.since,
        State::Offered(offer) => offer.since,
        State::Claimed(claim) => claim.since,
        State::Returned(returned) => returned.since,
        State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => handoff.progress.progress_at,
    }
}

/// Returns a deadline in microseconds since the Unix epoch, rounded up; the end of time without one.
pub fn deadline_microseconds(due_at: Option<Timestamp>) -> i64 {
    let Some(due_at) = due_at else { return Timestamp::MAX.as_microsecond() };
    let floor = due_at.as_microsecond();
    if due_at.subsec_nanosecond() % 1_000 > 0 { floor.saturating_add(1) } else { floor }
}

impl fmt::Display for Urgency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.priority, self.since, self.id)
    }
}

/// The error for a text that is not a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseUrgencyError;

impl FromStr for Urgency {
    type Err = ParseUrgencyError;

    fn from_str(text: &str) -> Result<Self, ParseUrgencyError> {
        let mut parts = text.splitn(3, '-');
        let (priority, since, id) = (parts.next(), parts.next(), parts.next());
        let position = priority.zip(since).zip(id).and_then(|((priority, since), id)| {
            let (priority, since) = (priority.parse().ok()?, since.parse().ok()?);
            Some(Self { priority, since, id: id.parse().ok()? })
        });
        position.ok_or(ParseUrgencyError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_round_trips() {
        let position = Urgency { priority: 2, since: 17, id: HandoffId::from_bytes([7; 16]) };
        assert_eq!(position.to_string().parse(), Ok(position));
        // The longest form that the API describes.
        let longest = format!("99-{}-{}", "9".repeat(18), position.id);
        assert!(longest.parse::<Urgency>().is_ok(), "{longest}");
        for wrong in ["", "2", "2-17", "2-x-hof_1", "2-17-hof_1", "x-17-hof_1"] {
            assert_eq!(wrong.parse::<Urgency>(), Err(ParseUrgencyError), "{wrong}");
        }
    }
}
