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
