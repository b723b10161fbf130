//! Passwords of people: typed at the terminal, never a flag and never a variable.

use std::io::IsTerminal as _;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};

use crate::exit::{Exit, Failure};
use crate::local::Exchange;

/// LIMIT: shorter ones are guessed.
const CHARACTERS_MIN: usize = 8;

/// Asks twice for a new password; nothing where nobody sits at a terminal.
pub(crate) fn choose(name: &str) -> Result<Option<String>, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let first = ask(&format!("Password of {name} (empty for none): "))?;
    if first.is_empty() {
        return Ok(None);
    }
    if first.chars().count() < CHARACTERS_MIN {
        return Err(Failure::usage(format!("a password has at least {CHARACTERS_MIN} characters")));
    }
    if ask("The same again: ")? != first {
        return Err(Failure::usage("the two are not the same"));
    }
    let salt = SaltString::generate(&mut OsRng);
    let hash = Argon2::default().hash_password(first.as_bytes(), &salt);
    let hash =
        hash.map_err(|error| Failure::usage(format!("cannot hash the password: {error}")))?;
    Ok(Some(hash.to_string()))
}

/// Keeps the hash of a person's password.
pub(crate) fn keep(exchange: &Exchange, name: &str, hash: &str) -> Result<(), Failure> {
    exchange.store.set_person(name, hash).map_err(|fault| crate::local::failed(fault.into()))
}

/// Asks a person for their password and says whether it is theirs.
pub(crate) fn prove(exchange: &Exchange, name: &str) -> Result<(), Failure> {
    let stored = exchange.store.person(name).map_err(|fault| crate::local::failed(fault.into()))?;
    let denied = |message: String| Failure { exit: Exit::Denied, ..Failure::usage(message) };
    let Some(stored) = stored else {
        return Err(denied(format!("`{name}` has no password"))
            .hint(format!("set one at a terminal: `tasuki party add {name} --human`")));
    };
    if !std::io::stdin().is_terminal() {
        return Err(denied("a password is typed at a terminal, and this is none".to_owned())
            .hint("run the command in a terminal, or sign in the console"));
    }
    let typed = ask(&format!("Password of {name}: "))?;
    let hash = PasswordHash::new(&stored).map_err(|error| {
        Failure::usage(format!("the stored hash of `{name}` is damaged: {error}"))
    })?;
    Argon2::default()
        .verify_password(typed.as_bytes(), &hash)
        .map_err(|_| denied("that is not the password".to_owned()))
}

fn ask(question: &str) -> Result<String, Failure> {
    rpassword::prompt_password(question)
        .map_err(|error| Failure::usage(format!("cannot read the password: {error}")))
}
