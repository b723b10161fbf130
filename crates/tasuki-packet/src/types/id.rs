//! Ids: a prefix that says what it is, and 32 hex digits of a version 7 UUID.
//!
//! Each kind of thing has a type of its own, so that no function can take one for another. Ids begin
//! with their time, so they sort by it; whoever shortens one for people cuts from the front.
//!
//! Not here: where randomness and time come from. Both are handed in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Why a text is no id of the kind that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id: `{prefix}_` and 32 lower-case hex digits")]
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
                /// The letters before the underscore.
                pub const PREFIX: &'static str = $prefix;

                /// A new id of this instant.
                pub fn new(unix_ms: u64, random: [u8; 10]) -> Self {
                    Self(uuid_v7(unix_ms, random))
                }

                /// The id with these bytes.
                pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                    Self(bytes)
                }

                /// The bytes of the id, without its prefix.
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

        /// The prefixes of all kinds of ids.
        pub const PREFIXES: &[&str] = &[$($prefix),+];
    };
}

ids! {
    /// One transfer of a task.
    HandoffId = "hof",
    /// Exclusive possession under a lease.
    ClaimId = "clm",
    /// Progress that a holder left behind.
    CheckpointId = "chk",
    /// What came back.
    ReturnId = "ret",
    /// What somebody judged of a return.
    VerdictId = "vrd",
    /// What a person did with a handoff.
    DecisionId = "dec",
    /// What a receiver wants to know.
    QuestionId = "qst",
    /// Who is told of which events.
    SubscriptionId = "sub",
    /// Who can send or receive.
    PartyId = "pty",
    /// The boundary of isolation.
    ProjectId = "prj",
    /// A credential.
    TokenId = "tok",
    /// A task that nobody named.
    TaskId = "tsk",
}

/// An id of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnyId {
    prefix: &'static str,
    bytes: [u8; 16],
}

/// An id as it is written. Ids are written all the time, so this takes no memory of its own.
#[derive(Debug, Clone, Copy)]
pub struct IdText([u8; TEXT_BYTES]);

/// Every prefix has three letters, so every id has the same length.
const TEXT_BYTES: usize = 36;

impl AnyId {
    /// The id with this prefix that a text spells.
    pub fn read(text: &str, prefix: &'static str) -> Option<Self> {
        debug_assert!(PREFIXES.contains(&prefix));
        let digits = text.strip_prefix(prefix)?.strip_prefix('_')?;
        Some(Self { prefix, bytes: bytes_of(digits)? })
    }

    /// The letters before the underscore.
    pub const fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// As it is written.
    pub fn text(&self) -> IdText {
        let mut text = [b'_'; TEXT_BYTES];
        text[..3].copy_from_slice(self.prefix.as_bytes());
        text[4..].copy_from_slice(&hex(&self.bytes));
        IdText(text)
    }
}

impl IdText {
    /// The text.
    pub fn as_str(&self) -> &str {
        // Letters, an underscore and digits are always a text.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for AnyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

/// Reads any id from a text, borrowed or not.
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

/// RFC 9562: 48 bits of milliseconds, then the version, the variant, and 74 random bits.
fn uuid_v7(unix_ms: u64, random: [u8; 10]) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&unix_ms.to_be_bytes()[2..]);
    bytes[6..].copy_from_slice(&random);
    bytes[6] = 0x70 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    bytes
}

/// The bytes as lower-case hex digits.
fn hex(bytes: &[u8; 16]) -> [u8; 32] {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' - 10 + value };
    let mut digits = [0; 32];
    for (index, byte) in bytes.iter().enumerate() {
        digits[2 * index] = digit(byte >> 4);
        digits[2 * index + 1] = digit(byte & 0x0f);
    }
    digits
}

/// The bytes that 32 lower-case hex digits spell.
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
    fn only_the_exact_spelling_of_the_kind_is_an_id() {
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
    fn no_two_kinds_share_a_prefix_of_three_letters() {
        let different: std::collections::HashSet<_> = PREFIXES.iter().collect();
        assert_eq!(different.len(), PREFIXES.len());
        assert!(PREFIXES.iter().all(|prefix| prefix.len() == 3));
    }

    #[test]
    fn an_id_of_any_kind_prints_like_the_one_it_is() {
        let id = HandoffId::new(0x0193_2f5a_bcde, *b"0123456789");
        let any = AnyId::from(id);
        assert_eq!(any.to_string(), id.to_string());
        assert_eq!(format!("{id:>40}"), format!("    {id}"));
        assert_eq!(AnyId::read(&id.to_string(), HandoffId::PREFIX), Some(any));
        assert_eq!(AnyId::read(&id.to_string(), ClaimId::PREFIX), None);
    }
}
