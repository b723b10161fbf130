//! Who asks, and may they? Everything about the credentials of requests is in here.

pub(crate) mod authorize;

use axum::http::request::Parts;
use tasuki_engine::principal::Principal;
use tasuki_engine::store::Pending;
use tasuki_packet::id::ProjectId;
use tasuki_packet::problem::DoorCode;

use crate::problem::Problem;

/// Somebody who proved who they are.
#[derive(Debug, Clone)]
pub struct Caller {
    /// In which project.
    pub project: ProjectId,
    /// As whom.
    pub principal: Principal,
    /// What they proved it with, as limits tell one from another. It is no secret.
    pub credential: String,
}

/// Tells who asks by what a request shows.
pub trait Credentials: Send + Sync + 'static {
    /// Who it is; nobody if it shows nothing, or nothing that is known.
    fn caller<'a>(&'a self, request: &'a Parts) -> Pending<'a, Option<Caller>>;
}

/// Nobody said who asks.
pub(crate) fn missing() -> Problem {
    Problem::door(DoorCode::CredentialMissing, "nobody said who is asking")
        .hint("send `Authorization: Bearer` and a token; `tasuki token create` makes one")
}

/// Whoever asks did not prove who they are. Why is not said, because it would help whoever guesses.
pub(crate) fn invalid() -> Problem {
    Problem::door(DoorCode::CredentialInvalid, "this credential is not known here, or not any more")
        .hint("an operator makes a new token with `tasuki token create`")
}
