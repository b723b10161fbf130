//! Verifies passwords of people. Verification is slow on purpose and runs on a blocking thread.

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordVerifier as _};
use tasuki_engine::error::{Fault, FaultKind};

use crate::respond::problem::Problem;
use crate::state::App;

/// The hash that is verified for an unknown name, so that the response takes equally long. It
/// matches no password.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGhhcyB0aGlz$\
                      p5oWk9q1b1rXo4b2f3eZ6m0sYkC1rX0cQ2s8r0nQm5A";

/// Returns `true` if this is the password of the person.
pub(crate) async fn verify(app: &App, name: &str, password: String) -> Result<bool, Problem> {
    let permit = app.limits.acquire_password_check().await?;
    let stored = app.people.person(name.to_owned()).await?;
    let is_known = stored.is_some();
    let hash = stored.unwrap_or_else(|| DUMMY_HASH.to_owned());
    let checked = tokio::task::spawn_blocking(move || {
        // The work continues after the caller hangs up, so it holds the permit.
        let _permit = permit;
        matches(&password, &hash)
    });
    let checked = checked.await;
    let is_correct = checked.unwrap_or_else(|_| Err(damaged("verification panicked")))?;
    Ok(is_correct && is_known)
}

fn matches(password: &str, hash: &str) -> Result<bool, Fault> {
    let hash = PasswordHash::new(hash).map_err(|error| damaged(&error.to_string()))?;
    match Argon2::default().verify_password(password.as_bytes(), &hash) {
        Ok(()) => Ok(true),
        Err(argon2::password_hash::Error::Password) => Ok(false),
        Err(error) => Err(damaged(&error.to_string())),
    }
}

fn damaged(why: &str) -> Fault {
    Fault::new(FaultKind::Corrupt, format!("stored password hash is damaged: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dummy_hash_is_valid_and_matches_no_password() {
        for guess in ["", "unknown", "password"] {
            assert!(!matches(guess, DUMMY_HASH).unwrap());
        }
        assert!(matches("x", "no hash").is_err());
    }
}
