//! Authentication and authorization of requests.
//!
//! A program sends a token; a person has a session, or a trusted proxy names them. Nothing else in a request makes its caller a
//! person or a member of another project.

pub(crate) mod authenticate;
pub(crate) mod authorize;
pub(crate) mod mail_code;
pub(crate) mod password;
pub(crate) mod session;
mod single_sign_on;
pub(crate) mod token;

use tasuki_engine::model::Principal;
use tasuki_packet::id::ProjectId;

use crate::state::limits::RateKey;

/// An authenticated caller.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The project of the credential.
    pub(crate) project: ProjectId,
    /// The authenticated principal.
    pub(crate) principal: Principal,
    /// The name of the person, if the caller signed in.
    pub(crate) person: Option<String>,
}

impl Caller {
    /// Returns the key that rate limits count this caller by.
    pub(crate) fn rate_key(&self) -> RateKey {
        match &self.person {
            Some(person) => RateKey::Person(person.clone()),
            None => RateKey::Token(self.principal.credential),
        }
    }
}
