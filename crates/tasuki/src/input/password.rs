//! Passwords of people: typed at the terminal, never a flag and never a variable.

use std::io::IsTerminal as _;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};

use crate::exit::{Exit, Failure};

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
    hashed(&first).map(Some)
}

fn hashed(password: &str) -> Result<String, Failure> {
    let salt = SaltString::generate(&mut OsRng);
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string())
        .map_err(|error| Failure::usage(format!("cannot hash the password: {error}")))
}

/// The refusal of an agent that would sign, through either door.
pub(crate) fn agents_do_not_sign() -> Failure {
    denied("a person signs at a gate, and you are an agent [TK-PERSON-NEEDED]")
        .hint("a person signs at a terminal with `tasuki sign-off`, or in the console")
}

/// The refusal of a password that is another, through either door.
pub(crate) fn wrong() -> Failure {
    denied("that is not the password [TK-SIGN-IN-WRONG]")
}

/// Whether somebody could type a password here.
pub(crate) fn at_a_terminal() -> Result<(), Failure> {
    if std::io::stdin().is_terminal() {
        return Ok(());
    }
    Err(denied("a password is typed at a terminal, and this is none")
        .hint("run the command in a terminal, or sign in the console"))
}

/// What a person types as their password.
pub(crate) fn typed(name: &str) -> Result<String, Failure> {
    ask(&format!("Password of {name}: "))
}

pub(crate) fn check(name: &str, typed: &str, stored: &str) -> Result<(), Failure> {
    let hash = PasswordHash::new(stored).map_err(|error| {
        Failure::usage(format!("the stored hash of `{name}` is damaged: {error}"))
    })?;
    Argon2::default().verify_password(typed.as_bytes(), &hash).map_err(|error| match error {
        argon2::password_hash::Error::Password => wrong(),
        other => Failure::usage(format!("cannot check the password of `{name}`: {other}")),
    })
}

pub(crate) fn denied(message: impl Into<String>) -> Failure {
    Failure { exit: Exit::Denied, ..Failure::usage(message) }
}

fn ask(question: &str) -> Result<String, Failure> {
    rpassword::prompt_password(question)
        .map_err(|error| Failure::usage(format!("cannot read the password: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_itself_matches_its_hash() {
        let stored = hashed("correct horse").unwrap();
        assert!(!stored.contains("correct horse"));
        assert!(check("ana", "correct horse", &stored).is_ok());
        for wrong in ["", "correct horse ", "Correct horse"] {
            let failure = check("ana", wrong, &stored).unwrap_err();
            assert_eq!(
                (failure.exit, failure.message.as_str()),
                (Exit::Denied, "that is not the password [TK-SIGN-IN-WRONG]")
            );
        }
        assert_ne!(stored, hashed("correct horse").unwrap(), "every hash has a salt of its own");
        assert_eq!(check("ana", "x", "no hash").unwrap_err().exit, Exit::Usage);
    }
}
