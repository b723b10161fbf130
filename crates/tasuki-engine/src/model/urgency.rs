//! How urgent a handoff is: its place in the order of an inbox.
//!
//! A place is a value of its own and not the handoff that has it, so that whoever reads page by page goes
//! on where they were although that handoff was claimed meanwhile and has another place by now.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use tasuki_packet::id::HandoffId;

use crate::model::{Handoff, State};

/// A place in the order: high risk first, then what is in its state longest, then the older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Urgency {
    /// What its risk sorts as.
    pub priority: u8,
    /// Since when it is in its state, in microseconds.
    pub since: i64,
    /// Which.
    pub id: HandoffId,
}

impl Urgency {
    /// The place of a handoff.
    pub fn of(handoff: &Handoff) -> Self {
        let priority = handoff.facts.terms.risk.priority();
        Self { priority, since: since(handoff).as_microsecond(), id: handoff.id }
    }
}

/// Since when it is in its state; what has ended waits since its last progress.
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

impl fmt::Display for Urgency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.priority, self.since, self.id)
    }
}

/// A text that names no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseUrgencyError;

impl FromStr for Urgency {
    type Err = ParseUrgencyError;

    fn from_str(written: &str) -> Result<Self, ParseUrgencyError> {
        let mut parts = written.splitn(3, '-');
        let (priority, since, id) = (parts.next(), parts.next(), parts.next());
        let place = priority.zip(since).zip(id).and_then(|((priority, since), id)| {
            let (priority, since) = (priority.parse().ok()?, since.parse().ok()?);
            Some(Self { priority, since, id: id.parse().ok()? })
        });
        place.ok_or(ParseUrgencyError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_written_and_read_again() {
        let place = Urgency { priority: 2, since: 17, id: HandoffId::from_bytes([7; 16]) };
        assert_eq!(place.to_string().parse(), Ok(place));
        // As long as a door describes it.
        let longest = format!("99-{}-{}", "9".repeat(18), place.id);
        assert!(longest.parse::<Urgency>().is_ok(), "{longest}");
        for wrong in ["", "2", "2-17", "2-x-hof_1", "2-17-hof_1", "x-17-hof_1"] {
            assert_eq!(wrong.parse::<Urgency>(), Err(ParseUrgencyError), "{wrong}");
        }
    }
}
