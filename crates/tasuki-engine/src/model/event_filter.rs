//! Validates the names that an event filter uses.

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
    must_be_one_of("previous state", filter.before.as_deref(), states)?;
    must_be_one_of("risk", filter.risk.as_deref(), risks)?;
    must_be_one_of("trigger", filter.trigger.as_deref(), triggers)
}

/// Returns the names of all states.
pub fn states() -> Vec<&'static str> {
    StateWord::ALL.iter().map(|state| state.as_str()).collect()
}

/// Returns the names of all triggers.
pub fn triggers() -> Vec<&'static str> {
    TriggerKind::ALL.iter().map(|kind| kind.as_str()).collect()
}

/// Returns the names of all risks.
pub fn risks() -> Vec<&'static str> {
    Risk::ALL.iter().map(|risk| risk.as_str()).collect()
}

pub(crate) fn must_be_one_of(
    name: &str,
    value: Option<&str>,
    words: fn() -> Vec<&'static str>,
) -> Result<(), Refusal> {
    let Some(value) = value.filter(|value| !words().contains(value)) else { return Ok(()) };
    let message = format!("unknown {name} `{value}`");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint(format!("use one of `{}`", words().join("`, `"))))
}
