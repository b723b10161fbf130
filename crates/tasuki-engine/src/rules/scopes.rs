//! Scopes: what a credential must have for a command or a read.
//!
//! A scope is no right to a handoff. Whose turn it is follows from the part that the caller has in
//! it, which the steps check through `authorization`. The scopes of all commands are listed in
//! `command/permissions.rs`.

use crate::model::{Principal, Scope, Scopes};
use crate::refusal::{Refusal, RefusalCode};

/// What a credential needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredScopes {
    /// Nothing but to be one.
    Nothing,
    /// All of these.
    All(&'static [Scope]),
    /// One of these: the part that the caller has decides which.
    Any(&'static [Scope]),
}

/// What somebody wants to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOperation {
    /// What waits for the caller.
    Inbox,
    /// Which handoff is meant, how it stands and what happened to it, without its packet.
    Card,
    /// A handoff, with its trail.
    Handoff,
    /// Handoffs, by state, party or task.
    Handoffs,
    /// A packet, a brief, a continuation.
    Packet,
    /// What happened, and as it happens.
    Events,
    /// Words in documents and reasons.
    Search,
    /// How work flows.
    Stats,
    /// Leaves of the log as they are.
    Log,
    /// What people decided, with what they saw.
    Decisions,
    /// Parties, contracts, gates, rules and settings.
    Directory,
    /// The dead letters.
    Dead,
    /// Which tokens there are.
    Tokens,
    /// Which subscriptions there are, and what became of their deliveries.
    Subscriptions,
}

use RequiredScopes::{All, Any, Nothing};
use Scope::{Admin, Decide, Read, Receive};

impl ReadOperation {
    /// Every question.
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

    /// What a credential needs for this. `submit` alone reads nothing: it is a write-only inbox.
    pub const fn required_scopes(self) -> RequiredScopes {
        match self {
            // A receiver must see what it may claim, name it, and hear what was decided about it.
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
            Self::Tokens | Self::Subscriptions => All(&[Admin]),
        }
    }
}

impl RequiredScopes {
    /// Whether these scopes are enough.
    pub fn are_met_by(self, scopes: Scopes) -> bool {
        match self {
            Nothing => true,
            All(all) => all.iter().all(|scope| scopes.has(*scope)),
            Any(some) => some.iter().any(|scope| scopes.has(*scope)),
        }
    }
}

/// The caller's credential is good for this, or it is refused.
///
/// # Errors
///
/// With all the scopes that are lacking, so that nobody asks for a second token after the first.
pub fn require(principal: &Principal, needs: RequiredScopes) -> Result<(), Refusal> {
    // No operator can give `decide` to an agent, so nobody is sent to ask for it.
    let can_have = |scope: &&Scope| **scope != Decide || principal.is_human();
    match needs {
        needs if needs.are_met_by(principal.scopes) => Ok(()),
        All([Decide]) if !principal.is_human() => Err(person_needed()),
        Any(some) => {
            let names: Vec<String> = some.iter().filter(can_have).copied().map(quoted).collect();
            if let [one] = names.as_slice() {
                let message = format!("this credential lacks the scope {one}");
                return Err(missing(message, "ask an operator for a token with it"));
            }
            let message = format!("this credential lacks the scope {}", names.join(" or "));
            Err(missing(message, "ask an operator for a token with one of them"))
        }
        All(all) => Err(lacking(principal.scopes, all)),
        Nothing => Ok(()),
    }
}

/// The refusal of what only a person does.
pub(crate) fn person_needed() -> Refusal {
    Refusal::new(RefusalCode::PersonNeeded, "only a person decides, and you are an agent")
        .hint("a person decides: in the console, or at the command line under their own name")
}

/// The caller has these scopes itself, or it is refused.
pub(crate) fn must_have_all(principal: &Principal, scopes: Scopes) -> Result<(), Refusal> {
    let wanted: Vec<Scope> = scopes.iter().collect();
    if wanted.iter().all(|scope| principal.scopes.has(*scope)) {
        return Ok(());
    }
    Err(lacking(principal.scopes, &wanted))
}

fn lacking(had: Scopes, wanted: &[Scope]) -> Refusal {
    let lacking: Vec<String> =
        wanted.iter().filter(|scope| !had.has(**scope)).copied().map(quoted).collect();
    let (noun, them) = if lacking.len() == 1 { ("scope", "it") } else { ("scopes", "them") };
    let message = format!("this credential lacks the {noun} {}", lacking.join(", "));
    missing(message, &format!("ask an operator for a token with {them}"))
}

fn missing(message: String, hint: &str) -> Refusal {
    Refusal::new(RefusalCode::ScopeMissing, message).hint(hint)
}

fn quoted(scope: Scope) -> String {
    format!("`{}`", scope.as_str())
}
