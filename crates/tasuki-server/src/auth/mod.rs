//! Who asks, and may they? Everything about the credentials of requests is in here.
//!
//! A program shows a token, a person a session. Nothing that a request says otherwise makes somebody a
//! person, and nothing makes them a member of another project.

pub(crate) mod authenticate;
pub(crate) mod authorize;
pub(crate) mod password;
pub(crate) mod session;
pub(crate) mod token;

use tasuki_engine::principal::Principal;
use tasuki_packet::id::ProjectId;

use crate::state::limits::RateKey;

/// Somebody who proved who they are.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// In which project.
    pub(crate) project: ProjectId,
    /// As whom.
    pub(crate) principal: Principal,
    /// The name of a person who signed in; nobody else has one.
    pub(crate) person: Option<String>,
}

impl Caller {
    /// What limits count a request of this caller for.
    pub(crate) fn rate_key(&self) -> RateKey {
        match &self.person {
            Some(person) => RateKey::Person(person.clone()),
            None => RateKey::Token(self.principal.credential),
        }
    }
}
