//! The authenticated caller: a party plus how it proved itself.
//!
//! Doors make principals; the rules only read them. Whether somebody is a person follows from how
//! they proved themselves, never from what they asked.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
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

/// What a principal may ask for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scopes {
    bits: u8,
}

/// One scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Hand work over.
    Submit,
    /// Take work and give it back.
    Receive,
    /// Look.
    Read,
    /// Decide as a person.
    Decide,
    /// Judge a return.
    Verify,
    /// Change the project.
    Admin,
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

impl Scopes {
    /// None.
    pub const fn none() -> Self {
        Self { bits: 0 }
    }

    /// All.
    pub const fn all() -> Self {
        Self { bits: 0b11_1111 }
    }

    /// These and one more.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self { bits: self.bits | 1 << scope as u8 }
    }

    /// Whether this one is among them.
    pub const fn has(self, scope: Scope) -> bool {
        self.bits & 1 << scope as u8 != 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// Their words.
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
            Scope::named(word).ok_or_else(|| de::Error::custom(format!("`{word}` is no scope")))
        };
        words.iter().map(scope).collect()
    }
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 6] =
        [Self::Submit, Self::Receive, Self::Read, Self::Decide, Self::Verify, Self::Admin];

    /// The scope of this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }

    /// The word as it is written.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_had_only_if_it_was_given() {
        for scope in Scope::ALL {
            assert!(!Scopes::none().has(scope), "{}", scope.as_str());
            assert!(Scopes::all().has(scope), "{}", scope.as_str());
            let one = Scopes::none().with(scope);
            assert_eq!(one.iter().collect::<Vec<_>>(), [scope]);
            assert_eq!(Scope::named(scope.as_str()), Some(scope));
        }
    }

    #[test]
    fn scopes_are_kept_as_their_words() {
        let scopes: Scopes = [Scope::Read, Scope::Submit].into_iter().collect();
        let text = serde_json::to_string(&scopes).unwrap();
        assert_eq!(text, r#"["submit","read"]"#);
        assert_eq!(serde_json::from_str::<Scopes>(&text).unwrap(), scopes);
        assert!(serde_json::from_str::<Scopes>(r#"["root"]"#).is_err());
    }
}
