//! HMAC-SHA-256: a hash that only somebody with the key can make.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// How many bytes SHA-256 takes at a time.
const BLOCK: usize = 64;

/// The keyed hash of these parts, one after the other.
pub fn keyed_hash(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    HashKey::new(key).hash(parts)
}

/// A key that much is hashed with: what depends on it alone, which is half of the work, is done once.
#[derive(Clone)]
pub struct HashKey {
    inner: Sha256,
    outer: Sha256,
}

impl HashKey {
    /// The key of these bytes.
    pub fn new(key: &[u8; 32]) -> Self {
        let keyed = |pad: u8| {
            let mut block = [pad; BLOCK];
            for (byte, key) in block.iter_mut().zip(key) {
                *byte ^= key;
            }
            Sha256::new().chain_update(block)
        };
        Self { inner: keyed(0x36), outer: keyed(0x5c) }
    }

    /// The keyed hash of these parts, one after the other.
    pub fn hash(&self, parts: &[&[u8]]) -> [u8; 32] {
        let inner = parts.iter().fold(self.inner.clone(), Sha256::chain_update).finalize();
        self.outer.clone().chain_update(inner).finalize().into()
    }
}

/// A key is a secret: it is not printed.
impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 1, with its key as zeros behind it, which is what a short key means.
    #[test]
    fn it_is_the_one_of_the_rfc() {
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let hash = keyed_hash(&key, &[b"Hi ", b"There"]);
        let expected: [u8; 8] = [0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53];
        assert_eq!(hash[..8], expected);
        let expected: [u8; 8] = [0x26, 0xe9, 0x37, 0x6c, 0x2e, 0x32, 0xcf, 0xf7];
        assert_eq!(hash[24..], expected);
    }
}
