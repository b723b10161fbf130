//! Ids: a prefix that says what it is, and 32 hex digits of a version 7 UUID.
//!
//! Each kind of thing has a type of its own, so that no function can take one for another. Ids begin
//! with their time, so they sort by it; whoever shortens one for people cuts from the front.
//!
//! Not here: where randomness and time come from. Both are handed in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::canonical;

/// Why a text is no id of the kind that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id: `{prefix}_` and 32 lower-case hex digits")]
pub struct NotAnId {
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

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    let digits = hex(&self.0);
                    let digits = std::str::from_utf8(&digits).map_err(|_| fmt::Error)?;
                    if f.width().is_some() {
                        return f.pad(&format!("{}_{digits}", Self::PREFIX));
                    }
                    f.write_str(concat!($prefix, "_"))?;
                    f.write_str(digits)
                }
            }

            impl FromStr for $name {
                type Err = NotAnId;

                fn from_str(text: &str) -> Result<Self, NotAnId> {
                    let digits = text.strip_prefix(concat!($prefix, "_"));
                    let bytes = digits.and_then(bytes_of).ok_or(NotAnId { prefix: $prefix })?;
                    Ok(Self(bytes))
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_str(self)
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

/// Reads any id from a text, borrowed or not.
struct IdVisitor<T>(std::marker::PhantomData<T>);

impl<T: FromStr<Err = NotAnId>> de::Visitor<'_> for IdVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// RFC 9562: 48 bits of milliseconds, then the version, the variant, and 74 random bits.
/// The bytes as lower-case hex digits.
fn hex(bytes: &[u8; 16]) -> [u8; 32] {
    let mut digits = [0; 32];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&canonical::hex(*byte));
    }
    digits
}

fn uuid_v7(unix_ms: u64, random: [u8; 10]) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&unix_ms.to_be_bytes()[2..]);
    bytes[6..].copy_from_slice(&random);
    bytes[6] = 0x70 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    bytes
}

/// The bytes that 32 lower-case hex digits spell.
pub(crate) fn bytes_of(digits: &str) -> Option<[u8; 16]> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if digits.len() != 32 || !digits.bytes().all(is_digit) {
        return None;
    }
    u128::from_str_radix(digits, 16).ok().map(u128::to_be_bytes)
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
    fn no_two_kinds_share_a_prefix() {
        let different: std::collections::HashSet<_> = PREFIXES.iter().collect();
        assert_eq!(different.len(), PREFIXES.len());
    }
}
