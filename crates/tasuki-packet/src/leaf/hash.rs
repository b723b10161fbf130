//! Hashes of leaves, and salted commitments to documents.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::canonical;

/// A SHA-256 hash. A leaf contains it as standard base64 with padding.
///
/// ```
/// use tasuki_packet::leaf::Hash;
///
/// let hash = Hash::of_leaf(b"{}");
/// assert_eq!(Hash::from_base64(&hash.to_string()), Some(hash));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash([u8; 32]);

/// The length of 32 bytes in base64.
const BASE64_BYTES: usize = 44;

/// The kind of document in a commitment, so that one kind cannot pass for another.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::leaf::Commitment;
///
/// let packet = json!({"goal": "Ship it"});
/// let hash = Commitment::Packet.to(&[1; 32], &packet);
/// assert_ne!(hash, Commitment::Packet.to(&[2; 32], &packet));
/// assert_ne!(hash, Commitment::Document.to(&[1; 32], &packet));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commitment {
    /// The packet of a handoff.
    Packet,
    /// The document of an event: a checkpoint, a return packet, a reason.
    Document,
}

impl Hash {
    /// The hash before the first leaf.
    pub const ZERO: Self = Self([0; 32]);

    /// Creates a hash from its bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the hash of a leaf (RFC 6962).
    pub fn of_leaf(bytes: &[u8]) -> Self {
        Self(Sha256::new().chain_update([0]).chain_update(bytes).finalize().into())
    }

    /// Returns the base64 with padding.
    pub(super) fn base64(&self) -> [u8; BASE64_BYTES] {
        let mut text = [0; BASE64_BYTES];
        STANDARD.encode_slice(self.0, &mut text).expect("there is room for all of it");
        text
    }

    /// Parses base64 with padding, in its one canonical spelling.
    pub fn from_base64(text: &str) -> Option<Self> {
        STANDARD.decode(text).ok()?.try_into().ok().map(Self)
    }
}

impl Commitment {
    /// Commits to a value. Without the salt, the value cannot be guessed from the hash.
    pub fn to(self, salt: &[u8; 32], value: &Value) -> Hash {
        self.to_bytes(salt, &canonical::bytes(value))
    }

    /// Commits to a value, given its canonical bytes.
    pub fn to_bytes(self, salt: &[u8; 32], canonical_bytes: &[u8]) -> Hash {
        let domain: &[u8] = match self {
            Self::Packet => b"tasuki-pc/1",
            Self::Document => b"tasuki-doc/1",
        };
        let hasher = Sha256::new().chain_update(domain).chain_update(salt);
        Hash(hasher.chain_update(canonical_bytes).finalize().into())
    }
}

/// Derives the salt of a packet's commitment from 32 random bytes and the packet as it was sent.
///
/// The commitment covers the content of a packet. Through the salt it covers comments, order and
/// spelling too. To a reader who does not know the random bytes, the salt looks random.
pub fn packet_salt(random: &[u8; 32], sent: &[u8]) -> [u8; 32] {
    let hasher = Sha256::new().chain_update(b"tasuki-sent/1").chain_update(random);
    hasher.chain_update(sent).finalize().into()
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(as_text(&self.base64()))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(as_text(&self.base64()))
    }
}

fn as_text(base64: &[u8]) -> &str {
    std::str::from_utf8(base64).expect("base64 is ASCII")
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_base64(&text)
            .ok_or_else(|| de::Error::custom("malformed hash: expected 32 bytes in base64"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({self})")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_leaf_hash_is_that_of_rfc_6962() {
        // The hash of an empty leaf in the RFC's test data.
        let known = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d";
        let number =
            |bytes: &[u8]| bytes.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        assert_eq!(number(Hash::of_leaf(b"").as_bytes()), known);
    }

    #[test]
    fn a_commitment_depends_on_salt_value_and_kind() {
        let (packet, other) = (json!({"goal": "a"}), json!({"goal": "b"}));
        let first = Commitment::Packet.to(&[1; 32], &packet);
        assert_ne!(first, Commitment::Packet.to(&[2; 32], &packet));
        assert_ne!(first, Commitment::Packet.to(&[1; 32], &other));
        assert_ne!(first, Commitment::Document.to(&[1; 32], &packet));
        assert_eq!(first, Commitment::Packet.to(&[1; 32], &json!({"goal": "a"})));
    }

    #[test]
    fn the_salt_of_a_packet_depends_on_every_byte_that_was_sent() {
        // `{ printf tasuki-sent/1; head -c 32 /dev/zero; printf 'goal: a'; } | sha256sum`
        let known = "3ae530d7763c4758";
        let salt = packet_salt(&[0; 32], b"goal: a");
        let hex = salt.iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        assert!(hex.starts_with(known), "{hex}");
        assert_ne!(salt, packet_salt(&[0; 32], b"goal:  a"));
        assert_ne!(salt, packet_salt(&[1; 32], b"goal: a"));
    }

    #[test]
    fn only_the_one_spelling_of_a_hash_is_read() {
        let text = Hash::ZERO.to_string();
        assert_eq!(text, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        assert_eq!(Hash::from_base64(&text), Some(Hash::ZERO));
        for other in [text.trim_end_matches('='), &text.replace("A=", "B="), "", "A", "=", "é==="]
        {
            assert_eq!(Hash::from_base64(other), None, "{other}");
        }
    }
}
