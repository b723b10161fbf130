//! The authenticated caller: a party plus how it proved itself.
//!
//! Doors make principals; the rules only read them. Whether somebody is a person follows from how
//! they proved themselves, never from what they asked.

use tasuki_api::Scopes;
use tasuki_packet::id::{PartyId, TokenId};
use tasuki_packet::leaf::{Actor, ActorKind, Authentication};

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The party.
    pub party: PartyId,
    /// An agent or a person.
    pub kind: ActorKind,
    /// How it proved itself.
    pub authentication: Authentication,
    /// The credential it used.
    pub credential: Option<TokenId>,
    /// The party it acts for.
    pub on_behalf_of: Option<PartyId>,
    /// What it may ask for.
    pub scopes: Scopes,
}

impl Principal {
    /// Somebody who can write the local store, and so is its operator.
    pub fn local(party: PartyId, kind: ActorKind) -> Self {
        Self {
            party,
            kind,
            authentication: Authentication::Local,
            credential: None,
            on_behalf_of: None,
            scopes: Scopes::all(),
        }
    }

    /// The exchange itself: whoever runs it where no party is named.
    pub fn system() -> Self {
        Self::local(PartyId::from_bytes([0; 16]), ActorKind::System)
    }

    /// Whether a person asks.
    pub fn is_human(&self) -> bool {
        self.kind == ActorKind::Human
    }

    /// The actor of the leaves that its commands make.
    pub fn actor(&self) -> Actor {
        // The exchange itself is no party.
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

/// The actor of what the clock has made due.
pub const CLOCK: Actor = Actor {
    party: None,
    kind: ActorKind::Clock,
    authentication: Authentication::None,
    credential: None,
    on_behalf_of: None,
};

/// The actor of what the exchange itself does.
pub const SYSTEM: Actor = Actor { kind: ActorKind::System, ..CLOCK };
