//! Ids: a prefix for the type, and the 32 hex digits of a version 7 UUID.
//!
//! Each type of object has its own id type, so that ids cannot be confused. Ids start with their
//! creation time, so they sort by it; to shorten one for display, keep its end.
//!
//! The caller provides time and randomness.
//!
//! ```
//! use tasuki_packet::id::{HandoffId, PartyId};
//!
//! let id = HandoffId::new(1_763_200_000_000, [1; 10]);
//! assert!(id.to_string().starts_with("hof_"));
//! assert_eq!(id.to_string().parse(), Ok(id));
//! assert!(id.to_string().parse::<PartyId>().is_err());
//! ```

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The error of parsing an id: the text is not an id of the requested type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed id: expected `{prefix}_` and 32 lower-case hex digits")]
pub struct ParseIdError {
    prefix: &'static str,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal,)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name([u8; 16]);

            impl $name {
                /// The prefix before the underscore.
                pub const PREFIX: &'static str = $prefix;

                /// Creates an id from the time and 80 random bits.
                pub fn new(unix_ms: u64, random: [u8; 10]) -> Self {
                    Self(uuid_v7(unix_ms, random))
                }

                /// Creates an id from its bytes.
                pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                    Self(bytes)
                }

                /// Returns the bytes of the id, without its prefix.
                pub const fn as_bytes(&self) -> &[u8; 16] {
                    &self.0
                }
            }

            impl From<$name> for AnyId {
                fn from(id: $name) -> Self {
                    Self { prefix: $name::PREFIX, bytes: id.0 }
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    AnyId::from(*self).fmt(f)
                }
            }

            impl FromStr for $name {
                type Err = ParseIdError;

                fn from_str(text: &str) -> Result<Self, ParseIdError> {
                    let digits = text.strip_prefix(concat!($prefix, "_"));
                    let bytes = digits.and_then(bytes_of).ok_or(ParseIdError { prefix: $prefix })?;
                    Ok(Self(bytes))
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(AnyId::from(*self).text().as_str())
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_str(IdVisitor(std::marker::PhantomData))
                }
            }
        )+

        /// The prefixes of all id types.
        pub const PREFIXES: &[&str] = &[$($prefix),+];
    };
}

ids! {
    /// Id of a handoff: one transfer of a task.
    HandoffId = "hof",
    /// Id of a claim: exclusive possession under a lease.
    ClaimId = "clm",
    /// Id of a checkpoint: the progress of a holder.
    CheckpointId = "chk",
    /// Id of a return packet.
    ReturnId = "ret",
    /// Id of a verdict on a return packet.
    VerdictId = "vrd",
    /// Id of a person's decision on a handoff.
    DecisionId = "dec",
    /// Id of a receiver's question.
    QuestionId = "qst",
    /// Id of a subscription to events.
    SubscriptionId = "sub",
    /// Id of a party, which sends and receives handoffs.
    PartyId = "pty",
    /// Id of a project, the unit of isolation.
    ProjectId = "prj",
    /// Id of a token.
    TokenId = "tok",
    /// Id of a task that the sender did not name.
    TaskId = "tsk",
}

/// An id of any type.
///
/// ```
/// use tasuki_packet::id::{AnyId, TokenId};
///
/// let id = AnyId::from(TokenId::from_bytes([1; 16]));
/// assert_eq!(id.prefix(), "tok");
/// assert_eq!(id.text().as_str(), "tok_01010101010101010101010101010101");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnyId {
    prefix: &'static str,
    bytes: [u8; 16],
}

/// The text of an id, without an allocation.
#[derive(Debug, Clone, Copy)]
pub struct IdText([u8; TEXT_BYTES]);

/// Every prefix has three letters, so every id has the same length.
const TEXT_BYTES: usize = 36;

impl AnyId {
    /// Parses an id with this prefix.
    pub fn read(text: &str, prefix: &'static str) -> Option<Self> {
        debug_assert!(PREFIXES.contains(&prefix));
        let digits = text.strip_prefix(prefix)?.strip_prefix('_')?;
        Some(Self { prefix, bytes: bytes_of(digits)? })
    }

    /// Returns the prefix before the underscore.
    pub const fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// Returns the text of the id.
    pub fn text(&self) -> IdText {
        let mut text = [b'_'; TEXT_BYTES];
        text[..3].copy_from_slice(self.prefix.as_bytes());
        text[4..].copy_from_slice(&hex(&self.bytes));
        IdText(text)
    }
}

impl IdText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        // Letters, digits and an underscore are valid UTF-8.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the bytes of the text.
    pub const fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for AnyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

/// Deserializes an id from a borrowed or an owned string.
struct IdVisitor<T>(std::marker::PhantomData<T>);

impl<T: FromStr<Err = ParseIdError>> de::Visitor<'_> for IdVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// Builds a UUID (RFC 9562): 48 bits of milliseconds, the version, the variant and 74 random bits.
fn uuid_v7(unix_ms: u64, random: [u8; 10]) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&unix_ms.to_be_bytes()[2..]);
    bytes[6..].copy_from_slice(&random);
    bytes[6] = 0x70 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    bytes
}

/// Returns the bytes as lower-case hex digits.
fn hex(bytes: &[u8; 16]) -> [u8; 32] {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' - 10 + value };
    let mut digits = [0; 32];
    for (index, byte) in bytes.iter().enumerate() {
        digits[2 * index] = digit(byte >> 4);
        digits[2 * index + 1] = digit(byte & 0x0f);
    }
    digits
}

/// Parses 32 lower-case hex digits.
fn bytes_of(digits: &str) -> Option<[u8; 16]> {
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let digits: &[u8; 32] = digits.as_bytes().try_into().ok()?;
    let mut bytes = [0; 16];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = value(digits[2 * index])? << 4 | value(digits[2 * index + 1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_prints_and_reads_back() {
        let id = HandoffId::new(0x0193_2f5a_bcde, [0xff; 10]);
        assert_eq!(id.to_string(), "hof_01932f5abcde7fffbfffffffffffffff");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(serde_json::to_value(id).unwrap(), id.to_string());
    }

    #[test]
    fn ids_sort_by_their_time() {
        let early = ClaimId::new(1_000, [0xff; 10]);
        let late = ClaimId::new(1_001, [0; 10]);
        assert!(early < late && early.to_string() < late.to_string());
    }

    #[test]
    fn only_the_exact_spelling_of_the_type_is_an_id() {
        for text in [
            "",
            "hof_",
            "clm_01932f5abcde7fffbfffffffffffffff",
            "hof_01932F5ABCDE7FFFBFFFFFFFFFFFFFFF",
            "hof_01932f5abcde7fffbffffffffffffff",
            "hof_+1932f5abcde7fffbfffffffffffffff",
            " hof_01932f5abcde7fffbfffffffffffffff",
        ] {
            assert!(text.parse::<HandoffId>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_type_has_its_own_prefix_of_three_letters() {
        let different: std::collections::HashSet<_> = PREFIXES.iter().collect();
        assert_eq!(different.len(), PREFIXES.len());
        assert!(PREFIXES.iter().all(|prefix| prefix.len() == 3));
    }

    #[test]
    fn an_id_of_any_type_prints_like_its_own_type() {
        let id = HandoffId::new(0x0193_2f5a_bcde, *b"0123456789");
        let any = AnyId::from(id);
        assert_eq!(any.to_string(), id.to_string());
        assert_eq!(format!("{id:>40}"), format!("    {id}"));
        assert_eq!(AnyId::read(&id.to_string(), HandoffId::PREFIX), Some(any));
        assert_eq!(AnyId::read(&id.to_string(), ClaimId::PREFIX), None);
    }
}
