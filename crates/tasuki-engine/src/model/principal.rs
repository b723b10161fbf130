//! The authenticated caller: a party and how it was authenticated.
//!
//! Front ends create principals; the rules only read them. The kind of a principal (agent or
//! person) follows from its authentication, never from the request.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
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
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scopes {
    bits: u8,
}

/// A scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Submit work.
    Submit,
    /// Claim and return work.
    Receive,
    /// Read.
    Read,
    /// Decide as a person.
    Decide,
    /// Verify a return.
    Verify,
    /// Administer the project.
    Admin,
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

impl Scopes {
    /// Returns the empty set.
    pub const fn none() -> Self {
        Self { bits: 0 }
    }

    /// Returns the set of all scopes.
    pub const fn all() -> Self {
        Self { bits: 0b11_1111 }
    }

    /// Returns the set with one more scope.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self { bits: self.bits | 1 << scope as u8 }
    }

    /// Returns `true` if the set contains the scope.
    pub const fn has(self, scope: Scope) -> bool {
        self.bits & 1 << scope as u8 != 0
    }

    /// Iterates over the scopes of the set.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// Returns the names of the scopes.
    pub fn words(self) -> Vec<&'static str> {
        self.iter().map(Scope::as_str).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<T: IntoIterator<Item = Scope>>(scopes: T) -> Self {
        scopes.into_iter().fold(Self::none(), Self::with)
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.words()).finish()
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        let scope = |word: &String| {
            Scope::named(word).ok_or_else(|| de::Error::custom(format!("unknown scope `{word}`")))
        };
        words.iter().map(scope).collect()
    }
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 6] =
        [Self::Submit, Self::Receive, Self::Read, Self::Decide, Self::Verify, Self::Admin];

    /// Returns the scope with this name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Submit => "submit",
            Self::Receive => "receive",
            Self::Read => "read",
            Self::Decide => "decide",
            Self::Verify => "verify",
            Self::Admin => "admin",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_contains_only_the_scopes_it_was_given() {
        for scope in Scope::ALL {
            assert!(!Scopes::none().has(scope), "{}", scope.as_str());
            assert!(Scopes::all().has(scope), "{}", scope.as_str());
            let one = Scopes::none().with(scope);
            assert_eq!(one.iter().collect::<Vec<_>>(), [scope]);
            assert_eq!(Scope::named(scope.as_str()), Some(scope));
        }
    }

    #[test]
    fn scopes_are_stored_by_name() {
        let scopes: Scopes = [Scope::Read, Scope::Submit].into_iter().collect();
        let text = serde_json::to_string(&scopes).unwrap();
        assert_eq!(text, r#"["submit","read"]"#);
        assert_eq!(serde_json::from_str::<Scopes>(&text).unwrap(), scopes);
        assert!(serde_json::from_str::<Scopes>(r#"["root"]"#).is_err());
    }
}
