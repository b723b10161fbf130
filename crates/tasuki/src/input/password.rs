//! Passwords of people. They are typed on the terminal, and never a flag or a variable.

use std::io::IsTerminal as _;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};

use crate::exit::{Exit, Failure};

/// LIMIT: shorter passwords are easily guessed.
const CHARACTERS_MIN: usize = 8;

/// Prompts twice for a new password, and returns its hash.
pub(crate) fn prompt_new(name: &str) -> Result<Option<String>, Failure> {
    let first = read_hidden(&format!("New password for {name} (empty for none): "))?;
    if first.is_empty() {
        return Ok(None);
    }
    if first.chars().count() < CHARACTERS_MIN {
        return Err(Failure::usage(format!(
            "a password must have at least {CHARACTERS_MIN} characters"
        )));
    }
    if read_hidden("Repeat the password: ")? != first {
        return Err(Failure::usage("the passwords do not match"));
    }
    hash(&first).map(Some)
}

/// Hashes a password with a new salt.
pub(crate) fn hash(password: &str) -> Result<String, Failure> {
    let salt = SaltString::generate(&mut OsRng);
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string())
        .map_err(|error| Failure::usage(format!("cannot hash the password: {error}")))
}

/// Returns the failure for an agent that tries to sign.
pub(crate) fn agent_cannot_sign() -> Failure {
    denied("only a person can sign at a gate; you are an agent [TK-PERSON-NEEDED]")
        .hint("ask a person to sign with `tasuki sign-off` in a terminal")
}

/// Returns the failure for a wrong password.
pub(crate) fn wrong_password() -> Failure {
    denied("wrong password [TK-SIGN-IN-WRONG]")
}

/// Fails unless the command may prompt.
pub(crate) fn require_prompt(may_prompt: bool) -> Result<(), Failure> {
    if may_prompt {
        return Ok(());
    }
    let why = if std::io::stdin().is_terminal() {
        "`--json` or `--no-input` is set"
    } else {
        "stdin is not a terminal"
    };
    Err(denied(format!("cannot ask for a password: {why}"))
        .hint("run the command in a terminal; on a server, a person decides with their own token"))
}

/// Prompts for the password of a person.
pub(crate) fn prompt(name: &str) -> Result<String, Failure> {
    read_hidden(&format!("Password for {name}: "))
}

pub(crate) fn verify(name: &str, typed: &str, stored: &str) -> Result<(), Failure> {
    let hash = PasswordHash::new(stored).map_err(|error| {
        Failure::usage(format!("the stored hash of `{name}` is damaged: {error}"))
    })?;
    Argon2::default().verify_password(typed.as_bytes(), &hash).map_err(|error| match error {
        argon2::password_hash::Error::Password => wrong_password(),
        other => Failure::usage(format!("cannot check the password of `{name}`: {other}")),
    })
}

pub(crate) fn denied(message: impl Into<String>) -> Failure {
    Failure { exit: Exit::Denied, ..Failure::usage(message) }
}

fn read_hidden(question: &str) -> Result<String, Failure> {
    rpassword::prompt_password(question)
        .map_err(|error| Failure::usage(format!("cannot read the password: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_itself_matches_its_hash() {
        let stored = hash("correct horse").unwrap();
        assert!(!stored.contains("correct horse"));
        assert!(verify("ana", "correct horse", &stored).is_ok());
        for wrong in ["", "correct horse ", "Correct horse"] {
            let failure = verify("ana", wrong, &stored).unwrap_err();
            assert_eq!(
                (failure.exit, failure.message.as_str()),
                (Exit::Denied, "wrong password [TK-SIGN-IN-WRONG]")
            );
        }
        assert_ne!(stored, hash("correct horse").unwrap(), "every hash has its own salt");
        assert_eq!(verify("ana", "x", "no hash").unwrap_err().exit, Exit::Usage);
    }
}
