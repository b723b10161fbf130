//! The authenticated caller: a party and how it was authenticated.
//!
//! Front ends create principals; the rules only read them. The kind of a principal (agent or
//! person) follows from its authentication, never from the request.

use tasuki_api::Scopes;
use tasuki_packet::id::{PartyId, TokenId};
use tasuki_packet::leaf::{Actor, ActorKind, Authentication};

/// The authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The party.
    pub party: PartyId,
    /// The kind of actor: an agent, a person, the clock or the exchange.
    pub kind: ActorKind,
    /// How the caller was authenticated.
    pub authentication: Authentication,
    /// The token that it used.
    pub credential: Option<TokenId>,
    /// The party that it acts for.
    pub on_behalf_of: Option<PartyId>,
    /// The scopes that it has.
    pub scopes: Scopes,
    /// The only receivers of a write-only token; empty for every other credential.
    pub receivers: Vec<PartyId>,
}

impl Principal {
    /// Returns a caller with write access to the local store, which makes it the operator.
    pub fn local(party: PartyId, kind: ActorKind) -> Self {
        Self {
            party,
            kind,
            authentication: Authentication::Local,
            credential: None,
            on_behalf_of: None,
            scopes: Scopes::all(),
            receivers: Vec::new(),
        }
    }

    /// Returns the exchange itself, for an operator who names no party.
    pub fn system() -> Self {
        Self::local(PartyId::from_bytes([0; 16]), ActorKind::System)
    }

    /// Returns `true` for a person.
    pub fn is_human(&self) -> bool {
        self.kind == ActorKind::Human
    }

    /// Returns `true` for a token that submits to named receivers and does nothing else.
    pub fn is_write_only(&self) -> bool {
        !self.receivers.is_empty()
    }

    /// Returns the actor of the leaves that its commands create.
    pub fn actor(&self) -> Actor {
        // The exchange itself is not a party.
        let is_party = matches!(self.kind, ActorKind::Agent | ActorKind::Human);
        Actor {
            party: is_party.then_some(self.party),
            kind: self.kind,
            authentication: self.authentication,
            credential: self.credential,
            on_behalf_of: self.on_behalf_of,
        }
    }
}

/// The actor of deadlines.
pub const CLOCK: Actor = Actor {
    party: None,
    kind: ActorKind::Clock,
    authentication: Authentication::None,
    credential: None,
    on_behalf_of: None,
};

/// The actor of the exchange's own actions.
pub const SYSTEM: Actor = Actor { kind: ActorKind::System, ..CLOCK };
