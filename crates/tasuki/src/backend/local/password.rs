//! Passwords of people in the local store.

use super::exchange::Exchange;
use crate::exit::Failure;
use crate::input::password::{denied, prompt, require_prompt, verify};

/// Stores the hash of a person's password.
pub(crate) fn store_password(exchange: &Exchange, name: &str, hash: &str) -> Result<(), Failure> {
    exchange.read(exchange.store.set_person(name.to_owned(), hash.to_owned()))
}

/// Returns the people who have a password.
pub(super) fn people(exchange: &Exchange) -> Result<Vec<String>, Failure> {
    exchange.read(exchange.store.people())
}

/// Fails unless the person has a password and can be asked for it.
pub(super) fn require_password(
    exchange: &Exchange,
    name: &str,
    may_prompt: bool,
) -> Result<(), Failure> {
    stored_hash(exchange, name, may_prompt).map(|_| ())
}

/// Prompts for the password of a person and verifies it.
pub(super) fn authenticate(
    exchange: &Exchange,
    name: &str,
    may_prompt: bool,
) -> Result<(), Failure> {
    let stored = stored_hash(exchange, name, may_prompt)?;
    let typed = prompt(name)?;
    verify(name, &typed, &stored)
}

fn stored_hash(exchange: &Exchange, name: &str, may_prompt: bool) -> Result<String, Failure> {
    let stored = exchange.read(exchange.store.person(name.to_owned()))?;
    let Some(stored) = stored else {
        return Err(denied(format!("`{name}` has no password"))
            .hint(format!("set one: `tasuki party add {name} --human`")));
    };
    require_prompt(may_prompt)?;
    Ok(stored)
}
