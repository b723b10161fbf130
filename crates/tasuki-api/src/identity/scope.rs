//! The scopes of a credential.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::word_enum::word_enum;

word_enum! {
    /// A permission of a credential.
    pub enum Scope {
        /// Submits handoffs.
        Submit = "submit",
        /// Claims and returns work.
        Receive = "receive",
        /// Reads handoffs and events.
        Read = "read",
        /// Decides as a person.
        Decide = "decide",
        /// Verifies return packets.
        Verify = "verify",
        /// Administers the project.
        Admin = "admin",
    }
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Scopes {
    bits: u8,
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

    /// Adds a scope.
    #[must_use]
    pub const fn with(self, scope: Scope) -> Self {
        Self { bits: self.bits | 1 << scope as u8 }
    }

    /// Returns `true` if the set has this scope.
    pub const fn has(self, scope: Scope) -> bool {
        self.bits & 1 << scope as u8 != 0
    }

    /// Returns an iterator over the scopes.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// Returns the words of the scopes.
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

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Scopes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scopes".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <Vec<Scope> as schemars::JsonSchema>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_only_the_scopes_that_were_added() {
        for scope in Scope::ALL {
            assert!(!Scopes::none().has(scope), "{}", scope.as_str());
            assert!(Scopes::all().has(scope), "{}", scope.as_str());
            let one = Scopes::none().with(scope);
            assert_eq!(one.iter().collect::<Vec<_>>(), [scope]);
            assert_eq!(Scope::named(scope.as_str()), Some(scope));
        }
    }

    #[test]
    fn scopes_are_serialized_as_their_words() {
        let scopes: Scopes = [Scope::Read, Scope::Submit].into_iter().collect();
        let text = serde_json::to_string(&scopes).unwrap();
        assert_eq!(text, r#"["submit","read"]"#);
        assert_eq!(serde_json::from_str::<Scopes>(&text).unwrap(), scopes);
        assert!(serde_json::from_str::<Scopes>(r#"["root"]"#).is_err());
    }
}
