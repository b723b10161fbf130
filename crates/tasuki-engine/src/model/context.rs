//! What every step is handed: what is known, who asks, when, and the randomness drawn for it.

use jiff::Timestamp;
use tasuki_packet::duration::Duration;
use tasuki_packet::leaf::Actor;

use crate::model::{CommandSeed, Principal, ProjectState};

/// What a step decides by. Nothing else may enter a decision.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// What is known.
    pub state: &'a ProjectState,
    /// Who asks.
    pub principal: &'a Principal,
    /// The project's one clock.
    pub now: Timestamp,
    /// The randomness of this command.
    pub seed: &'a CommandSeed,
}

impl Context<'_> {
    /// The actor of what this command does.
    pub fn actor(&self) -> Actor {
        self.principal.actor()
    }
}

/// An instant that much later. Durations are bounded, so it exists for any time this software meets.
pub fn later(instant: Timestamp, by: Duration) -> Timestamp {
    let milliseconds = i64::try_from(by.milliseconds()).unwrap_or(i64::MAX);
    instant.checked_add(jiff::SignedDuration::from_millis(milliseconds)).unwrap_or(Timestamp::MAX)
}

/// The time from one instant to a later one.
pub fn between(from: Timestamp, until: Timestamp) -> Duration {
    let milliseconds = u64::try_from(until.duration_since(from).as_millis()).unwrap_or(0);
    Duration::from_milliseconds(milliseconds).unwrap_or(Duration::MAX)
}
