//! Passwords of people in the store of this machine.

use tasuki_engine::people::People as _;

use super::exchange::Exchange;
use crate::exit::Failure;
use crate::input::password::{at_a_terminal, check, denied, typed};

/// Keeps the hash of a person's password.
pub(crate) fn keep(exchange: &Exchange, name: &str, hash: &str) -> Result<(), Failure> {
    exchange.read(exchange.store.set_person(name.to_owned(), hash.to_owned()))
}

/// Whether a person could prove themselves here at all: they have a password, and can type it.
pub(crate) fn can_prove(exchange: &Exchange, name: &str) -> Result<(), Failure> {
    stored(exchange, name).map(|_| ())
}

/// Asks a person for their password and says whether it is theirs.
pub(crate) fn prove(exchange: &Exchange, name: &str) -> Result<(), Failure> {
    let stored = stored(exchange, name)?;
    let typed = typed(name)?;
    check(name, &typed, &stored)
}

fn stored(exchange: &Exchange, name: &str) -> Result<String, Failure> {
    let stored = exchange.read(exchange.store.person(name.to_owned()))?;
    let Some(stored) = stored else {
        return Err(denied(format!("`{name}` has no password"))
            .hint(format!("set one at a terminal: `tasuki party add {name} --human`")));
    };
    at_a_terminal()?;
    Ok(stored)
}
