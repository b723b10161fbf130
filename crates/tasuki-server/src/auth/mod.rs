//! Authentication and authorization of requests.
//!
//! A program sends a token, a person has a session. Nothing else in a request makes its caller a person, or
//! a member of another project.

pub(crate) mod authenticate;
pub(crate) mod authorize;
pub(crate) mod password;
pub(crate) mod session;
pub(crate) mod token;

use tasuki_engine::model::Principal;
use tasuki_packet::id::ProjectId;

use crate::state::limits::RateKey;

/// An authenticated caller.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// In which project.
    pub(crate) project: ProjectId,
    /// As whom.
    pub(crate) principal: Principal,
    /// The name of a person who signed in.
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
