//! HMAC-SHA-256 over concatenated parts.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// HMAC-SHA-256 initialized with a key.
pub type HmacSha256 = Hmac<Sha256>;

/// Returns HMAC-SHA-256 initialized with this key.
pub fn hmac_key(key: &[u8; 32]) -> HmacSha256 {
    let mut block = hmac::digest::Key::<HmacSha256>::default();
    block[..key.len()].copy_from_slice(key);
    HmacSha256::new(&block)
}

/// Returns the HMAC-SHA-256 of the concatenated parts.
pub fn hmac_sha256(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = hmac_key(key);
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

/// Returns the hash under which a key of a caller is stored, so that no key is stored in clear.
/// Callers choose keys and may choose badly; the secret of the project keeps them from being guessed.
pub fn key_hash(secret: &[u8; 32], key: &str) -> String {
    let hash = hmac_sha256(secret, &[b"idempotency key ", key.as_bytes()]);
    let mut half = [0; 16];
    half.copy_from_slice(&hash[..16]);
    format!("{:032x}", u128::from_be_bytes(half))
}
