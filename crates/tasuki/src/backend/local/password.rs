//! Passwords of people in the local store.

use tasuki_engine::ports::AccountStore as _;

use super::exchange::Exchange;
use crate::exit::Failure;
use crate::input::password::{denied, prompt, require_terminal, verify};

/// Stores the hash of a person's password.
pub(crate) fn store(exchange: &Exchange, name: &str, hash: &str) -> Result<(), Failure> {
    exchange.read(exchange.store.set_person(name.to_owned(), hash.to_owned()))
}

/// Fails unless the person has a password and a terminal to type it.
pub(crate) fn require_password(exchange: &Exchange, name: &str) -> Result<(), Failure> {
    stored_hash(exchange, name).map(|_| ())
}

/// Prompts for the password of a person and verifies it.
pub(crate) fn authenticate(exchange: &Exchange, name: &str) -> Result<(), Failure> {
    let stored = stored_hash(exchange, name)?;
    let typed = prompt(name)?;
    verify(name, &typed, &stored)
}

fn stored_hash(exchange: &Exchange, name: &str) -> Result<String, Failure> {
    let stored = exchange.read(exchange.store.person(name.to_owned()))?;
    let Some(stored) = stored else {
        return Err(denied(format!("`{name}` has no password"))
            .hint(format!("set one: `tasuki party add {name} --human`")));
    };
    require_terminal()?;
    Ok(stored)
}
