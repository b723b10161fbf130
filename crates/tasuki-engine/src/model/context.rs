//! The input of a decision: state, caller, time and randomness.

use jiff::Timestamp;
use tasuki_packet::duration::Duration;
use tasuki_packet::leaf::Actor;

use crate::model::{CommandSeed, Principal, ProjectState};

/// The complete input of a decision. Nothing else may influence it.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The state of the project.
    pub state: &'a ProjectState,
    /// The caller.
    pub principal: &'a Principal,
    /// The current time; every command of a batch sees the same one.
    pub now: Timestamp,
    /// The randomness of this command.
    pub seed: &'a CommandSeed,
}

impl Context<'_> {
    /// Returns the actor of this command's events.
    pub fn actor(&self) -> Actor {
        self.principal.actor()
    }
}

/// Returns the instant after a duration, saturating at `Timestamp::MAX`.
pub fn later(instant: Timestamp, by: Duration) -> Timestamp {
    let milliseconds = i64::try_from(by.milliseconds()).unwrap_or(i64::MAX);
    instant.checked_add(jiff::SignedDuration::from_millis(milliseconds)).unwrap_or(Timestamp::MAX)
}

/// Returns the time from one instant to a later one, or zero if it is not later.
pub fn between(from: Timestamp, until: Timestamp) -> Duration {
    let milliseconds = u64::try_from(until.duration_since(from).as_millis()).unwrap_or(0);
    Duration::from_milliseconds(milliseconds).unwrap_or(Duration::MAX)
}
