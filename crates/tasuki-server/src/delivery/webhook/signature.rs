//! Signs webhooks as Standard Webhooks specifies: over id, time and body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use tasuki_engine::hmac::hmac_sha256;
use tasuki_engine::model::{Signing, SigningSecret};

/// Returns the header `webhook-signature`: one signature per secret, separated by spaces.
pub fn header(secrets: &[&SigningSecret], id: &str, seconds: i64, body: &[u8]) -> String {
    let signed = secrets.iter().filter_map(|secret| signature(secret, id, seconds, body));
    signed.collect::<Vec<_>>().join(" ")
}

fn signature(secret: &SigningSecret, id: &str, seconds: i64, body: &[u8]) -> Option<String> {
    let key = secret.bytes()?;
    let begins = format!("{id}.{seconds}.");
    Some(match secret.signing() {
        Signing::Shared => {
            let hash = hmac_sha256(&key, &[begins.as_bytes(), body]);
            format!("v1,{}", STANDARD.encode(hash))
        }
        Signing::KeyPair => {
            let signed = SigningKey::from_bytes(&key).sign(&[begins.as_bytes(), body].concat());
            format!("v1a,{}", STANDARD.encode(signed.to_bytes()))
        }
    })
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::Signature;
    use tasuki_api::Secret;

    use super::*;

    fn secret(text: &str) -> SigningSecret {
        SigningSecret { secret: Secret(text.to_owned()), until: None }
    }

    #[test]
    fn one_signature_for_each_secret() {
        let shared = secret("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
        let pair = secret("whsk_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
        let text = header(&[&shared, &pair], "prj_1:7", 1_700_000_000, b"{}");
        let (first, second) = text.split_once(' ').unwrap();
        assert!(first.starts_with("v1,") && second.starts_with("v1a,"), "{text}");
        let public = SigningKey::from_bytes(&pair.bytes().unwrap()).verifying_key();
        let bytes = STANDARD.decode(second.strip_prefix("v1a,").unwrap()).unwrap();
        let signature = Signature::from_slice(&bytes).unwrap();
        assert!(public.verify_strict(b"prj_1:7.1700000000.{}", &signature).is_ok());
        assert!(public.verify_strict(b"prj_1:8.1700000000.{}", &signature).is_err());
    }

    #[test]
    fn an_invalid_secret_gives_no_signature() {
        assert_eq!(header(&[&secret("whsec_short")], "prj_1:7", 1, b"{}"), "");
    }
}
