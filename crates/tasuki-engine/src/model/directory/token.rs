//! A token: a credential of one party, with scopes, an expiry and optional networks.
//!
//! The exchange stores only a keyed hash of the secret. A secret has 256 random bits, so a slow
//! hash would gain nothing. The key prevents a stolen directory from confirming guesses.

use std::net::IpAddr;

use hmac::Mac as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use tasuki_packet::canonical;
use tasuki_packet::credential::{Credential, ending};
use tasuki_packet::id::{PartyId, TokenId};
use tasuki_packet::leaf::{Authentication, Hash};

use crate::hmac::{HmacSha256, hmac_key, hmac_sha256};
use crate::model::document::hash_of_digest;
use crate::model::handoff::is_default;
use crate::model::{Directory, Head, Network, PartyKind, Principal, Scopes};
use crate::refusal::{Refusal, RefusalCode};

/// A token in the directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// Its id.
    pub id: TokenId,
    /// The keyed hash of its secret.
    pub hash: Hash,
    /// The owner.
    pub party: PartyId,
    /// The scopes it grants.
    pub scopes: Scopes,
    /// The networks it may be used from; empty means any.
    #[serde(default, skip_serializing_if = "is_default")]
    pub from: Vec<Network>,
    /// The receivers that a write-only token submits to; empty for every other token.
    #[serde(default, skip_serializing_if = "is_default")]
    pub to: Vec<PartyId>,
    /// The label.
    #[serde(default, skip_serializing_if = "is_default")]
    pub name: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub revoked_at: Option<Timestamp>,
}

/// The key under which a project hashes the secrets of its tokens.
#[derive(Debug, Clone)]
pub struct TokenKey(HmacSha256);

impl TokenKey {
    /// Returns the key of the project with this head.
    pub fn of(head: &Head) -> Self {
        Self(hmac_key(&hmac_sha256(&head.fingerprint_key, &[b"tasuki token"])))
    }

    /// Returns the keyed hash of a secret.
    pub fn hash(&self, secret: &str) -> Hash {
        let mac = self.0.clone().chain_update(secret);
        Hash::from_bytes(mac.finalize().into_bytes().into())
    }
}

impl TokenRecord {
    /// Returns the last digits of its id, which are part of its text and used to look it up.
    pub fn ending(&self) -> String {
        ending(self.id.as_bytes())
    }

    /// Returns `true` if this is its secret, in constant time.
    pub fn proves(&self, secret: &str, key: &TokenKey) -> bool {
        key.hash(secret).as_bytes().ct_eq(self.hash.as_bytes()).into()
    }

    /// Returns `true` if it is neither revoked nor expired.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }

    /// Returns the commitment to its networks; `None` if it may be used from anywhere.
    pub fn commitment_to_networks(&self) -> Option<Hash> {
        let networks = serde_json::to_value(&self.from).unwrap_or_default();
        (!self.from.is_empty()).then(|| hash_of_digest(&canonical::digest(&networks)))
    }

    /// Returns the commitment to its receivers; `None` if it is not write-only.
    pub fn commitment_to_receivers(&self) -> Option<Hash> {
        let receivers = serde_json::to_value(&self.to).unwrap_or_default();
        (!self.to.is_empty()).then(|| hash_of_digest(&canonical::digest(&receivers)))
    }

    /// Returns the commitment to its secret, of which only the keyed hash is known.
    pub fn commitment_to_secret(&self) -> Hash {
        hash_of_digest(&canonical::digest_of_bytes(self.hash.as_bytes()))
    }

    /// Refuses an unknown address or one outside of the token's networks, if it has any.
    fn require_network(&self, place: RemoteAddress) -> Result<(), Refusal> {
        let is_in = |address: IpAddr| self.from.iter().any(|network| network.contains(address));
        let place = match place {
            _ if self.from.is_empty() => return Ok(()),
            RemoteAddress::Address(address) if is_in(address) => return Ok(()),
            RemoteAddress::Address(address) => address.to_canonical().to_string(),
            RemoteAddress::Unknown => "an unknown address".to_owned(),
        };
        let message = format!("token {} may not be used from {place}", self.id);
        Err(Refusal::new(RefusalCode::TokenNetwork, message)
            .hint("use it from an allowed network, or ask the operator for a token for this one"))
    }
}

/// The address from which a token is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteAddress {
    /// The peer address of the connection.
    Address(IpAddr),
    /// The address is not known, because of an intermediary or for lack of a connection.
    Unknown,
}

/// Authenticates a token.
///
/// # Errors
///
/// Refuses a token that does not belong to this project, is revoked or expired, or may not be used
/// from this address. Only a caller with the right secret learns which.
pub fn principal(
    directory: &Directory,
    key: &TokenKey,
    credential: &Credential,
    place: RemoteAddress,
    now: Timestamp,
) -> Result<Principal, Refusal> {
    let proven = directory.token_ending_with(&credential.token_ending).filter(|token| {
        credential.is_of(directory.project) && token.proves(credential.secret(), key)
    });
    let owned = proven.and_then(|token| Some((token, directory.party(token.party)?)));
    // A role never acts itself, even if it was another kind when the token was created.
    let (token, party) =
        owned.filter(|(_, party)| party.kind != PartyKind::Role).ok_or_else(|| {
            Refusal::new(RefusalCode::TokenInvalid, "invalid token")
                .hint("an operator can create one with `tasuki token create --as NAME`")
        })?;
    if let Some(at) = token.revoked_at {
        let message = format!("token {} was revoked at {at:.6}", token.id);
        return Err(
            Refusal::new(RefusalCode::TokenRevoked, message).hint("ask the operator for a new one")
        );
    }
    if !token.is_live(now) {
        let message = format!("token {} expired at {:.6}", token.id, token.expires_at);
        return Err(
            Refusal::new(RefusalCode::TokenExpired, message).hint("ask the operator for a new one")
        );
    }
    token.require_network(place)?;
    Ok(Principal {
        party: party.id,
        kind: party.kind.actor(),
        authentication: Authentication::Token,
        credential: Some(token.id),
        on_behalf_of: None,
        scopes: token.scopes,
        receivers: token.to.clone(),
    })
}
