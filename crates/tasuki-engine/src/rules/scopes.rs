//! Scopes: the permissions that a credential needs for a command or a read.
//!
//! A scope grants no right to a particular handoff. The steps check the caller's part in it through
//! `authorization`. The scopes of all commands are listed in `command/permissions.rs`.

use tasuki_packet::leaf::Authentication;

use crate::model::{Principal, Scope, Scopes};
use crate::refusal::{Refusal, RefusalCode};

/// The scopes that a credential needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredScopes {
    /// Any valid credential.
    Nothing,
    /// All of these.
    All(&'static [Scope]),
    /// One of these, depending on the caller's part in the handoff.
    Any(&'static [Scope]),
}

/// A read of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOperation {
    /// The caller's inbox.
    Inbox,
    /// The card of a handoff: its state and history without its packet.
    Card,
    /// A handoff, with its trail.
    Handoff,
    /// Handoffs, by state, party or task.
    Handoffs,
    /// A packet, brief or continuation.
    Packet,
    /// Past events and the live stream.
    Events,
    /// A full-text search of documents and reasons.
    Search,
    /// Statistics of the flow of work.
    Stats,
    /// The leaves of the log.
    Log,
    /// The decisions of people, with the versions that they saw.
    Decisions,
    /// Parties, contracts, gates, rules and settings.
    Directory,
    /// The dead letters.
    Dead,
    /// The list of tokens.
    Tokens,
    /// The list of subscriptions and the results of their deliveries.
    Subscriptions,
}

use RequiredScopes::{All, Any, Nothing};
use Scope::{Admin, Decide, Read, Receive};

/// The scopes to manage subscriptions: all of them, or a person's own, which carry what the person
/// may read. `authorization::subscription` tells the two apart.
pub const OWN_SUBSCRIPTIONS: RequiredScopes = Any(&[Admin, Read]);

impl ReadOperation {
    /// Every read operation.
    pub const ALL: [Self; 14] = [
        Self::Inbox,
        Self::Card,
        Self::Handoff,
        Self::Handoffs,
        Self::Packet,
        Self::Events,
        Self::Search,
        Self::Stats,
        Self::Log,
        Self::Decisions,
        Self::Directory,
        Self::Dead,
        Self::Tokens,
        Self::Subscriptions,
    ];

    /// Returns the required scopes. `submit` alone reads nothing: it is a write-only inbox.
    pub const fn required_scopes(self) -> RequiredScopes {
        match self {
            // A receiver must see its offers, refer to them, and learn the decisions about them.
            Self::Inbox | Self::Card => Any(&[Receive, Read]),
            Self::Handoff
            | Self::Handoffs
            | Self::Packet
            | Self::Events
            | Self::Search
            | Self::Stats
            | Self::Log
            | Self::Decisions
            | Self::Directory
            | Self::Dead => All(&[Read]),
            Self::Tokens => All(&[Admin]),
            Self::Subscriptions => OWN_SUBSCRIPTIONS,
        }
    }
}

impl RequiredScopes {
    /// Returns `true` if these scopes are enough.
    pub fn are_met_by(self, scopes: Scopes) -> bool {
        match self {
            Nothing => true,
            All(all) => all.iter().all(|scope| scopes.has(*scope)),
            Any(some) => some.iter().any(|scope| scopes.has(*scope)),
        }
    }
}

/// Requires these scopes of the caller's credential.
///
/// # Errors
///
/// Lists all missing scopes at once, so that the caller has to request only one new token.
pub fn require(principal: &Principal, needs: RequiredScopes) -> Result<(), Refusal> {
    // No operator can grant `decide` to an agent, so the hint must not suggest it.
    let can_have = |scope: &&Scope| **scope != Decide || principal.is_human();
    match needs {
        // An operator decides where an agent is notified.
        needs if needs == OWN_SUBSCRIPTIONS && !principal.is_human() => {
            must_have_all(principal, Scopes::none().with(Admin))
        }
        needs if needs.are_met_by(principal.scopes) => Ok(()),
        All([Decide]) if !principal.is_human() => Err(person_needed()),
        Any(some) => {
            let names: Vec<String> = some.iter().filter(can_have).copied().map(quoted).collect();
            let message = format!("this credential lacks the scope {}", names.join(" or "));
            let first = some.iter().copied().find(|scope| can_have(&scope));
            Err(missing(message, principal, first.as_slice()))
        }
        All(all) => Err(lacking(principal, all)),
        Nothing => Ok(()),
    }
}

/// Returns the refusal of an action that needs a person.
pub(crate) fn person_needed() -> Refusal {
    Refusal::new(RefusalCode::PersonNeeded, "only a person can decide; you are an agent").hint(
        "ask a person to decide, in the console or with the command line under their own name",
    )
}

/// Requires that the caller has all of these scopes itself.
pub(crate) fn must_have_all(principal: &Principal, scopes: Scopes) -> Result<(), Refusal> {
    let wanted: Vec<Scope> = scopes.iter().collect();
    if wanted.iter().all(|scope| principal.scopes.has(*scope)) {
        return Ok(());
    }
    Err(lacking(principal, &wanted))
}

fn lacking(principal: &Principal, wanted: &[Scope]) -> Refusal {
    let had = principal.scopes;
    let lacking: Vec<String> =
        wanted.iter().filter(|scope| !had.has(**scope)).copied().map(quoted).collect();
    let noun = if lacking.len() == 1 { "scope" } else { "scopes" };
    let message = format!("this credential lacks the {noun} {}", lacking.join(", "));
    missing(message, principal, wanted)
}

/// Returns the refusal, with the command that makes a credential with the scopes that the caller
/// has and those that it lacks.
fn missing(message: String, principal: &Principal, wanted: &[Scope]) -> Refusal {
    let needed = wanted.iter().fold(principal.scopes, |scopes, scope| scopes.with(*scope));
    let names: Vec<&str> = needed.iter().map(Scope::as_str).collect();
    let command = format!("tasuki token create --as NAME --scope {}", names.join(","));
    let is_session = principal.authentication == Authentication::Password;
    let of_session = if is_session && wanted.contains(&Admin) {
        ", or lists you in `server.operators`"
    } else {
        ""
    };
    Refusal::new(RefusalCode::ScopeMissing, message)
        .hint(format!("an operator creates a token with `{command}`{of_session}"))
}

fn quoted(scope: Scope) -> String {
    format!("`{}`", scope.as_str())
}
