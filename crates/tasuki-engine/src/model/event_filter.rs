//! The words that an event filter may have.

use tasuki_api::{EventFilter, StateWord};
use tasuki_packet::policy::contract::Risk;
use tasuki_packet::policy::trigger::TriggerKind;

use crate::refusal::{Refusal, RefusalCode};

/// Refuses a filter that no event can match, because one of its words does not exist.
///
/// # Errors
///
/// The unknown word, with the known ones as a hint.
pub fn check_words(filter: &EventFilter) -> Result<(), Refusal> {
    must_be_one_of("state", filter.state.as_deref(), states)?;
    must_be_one_of("state before", filter.before.as_deref(), states)?;
    must_be_one_of("risk", filter.risk.as_deref(), risks)?;
    must_be_one_of("trigger", filter.trigger.as_deref(), triggers)
}

/// The words that a state can be.
pub fn states() -> Vec<&'static str> {
    StateWord::ALL.iter().map(|state| state.as_str()).collect()
}

/// The words that a trigger can be.
pub fn triggers() -> Vec<&'static str> {
    TriggerKind::ALL.iter().map(|kind| kind.as_str()).collect()
}

/// The words that a risk can be.
pub fn risks() -> Vec<&'static str> {
    Risk::ALL.iter().map(|risk| risk.as_str()).collect()
}

pub(crate) fn must_be_one_of(
    name: &str,
    said: Option<&str>,
    words: fn() -> Vec<&'static str>,
) -> Result<(), Refusal> {
    let Some(said) = said.filter(|said| !words().contains(said)) else { return Ok(()) };
    let message = format!("no event has the {name} `{said}`");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint(format!("it is one of {}", words().join(", "))))
}
