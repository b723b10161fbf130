//! A token: a credential of one party, good for some scopes until an instant, from some networks
//! or from anywhere.
//!
//! The exchange keeps a keyed hash of the secret and nothing else of it. A secret has 256 bits, so
//! that a slow hash would gain nothing; the key keeps a stolen directory from proving a guess.

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

/// A token as the directory keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// Its id.
    pub id: TokenId,
    /// The keyed hash of its secret.
    pub hash: Hash,
    /// Whose it is.
    pub party: PartyId,
    /// What it is good for.
    pub scopes: Scopes,
    /// Where it may be used from; nothing means anywhere.
    #[serde(default, skip_serializing_if = "is_default")]
    pub from: Vec<Network>,
    /// What it is called.
    #[serde(default, skip_serializing_if = "is_default")]
    pub name: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it stops working.
    pub expires_at: Timestamp,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub revoked_at: Option<Timestamp>,
}

/// The key under which a project hashes the secrets of its tokens.
#[derive(Debug, Clone)]
pub struct TokenKey(HmacSha256);

impl TokenKey {
    /// The key of the project with this head.
    pub fn of(head: &Head) -> Self {
        Self(hmac_key(&hmac_sha256(&head.fingerprint_key, &[b"tasuki token"])))
    }

    /// The keyed hash of a secret.
    pub fn hash(&self, secret: &str) -> Hash {
        let mac = self.0.clone().chain_update(secret);
        Hash::from_bytes(mac.finalize().into_bytes().into())
    }
}

impl TokenRecord {
    /// The digits by which it is found, which stand in its text.
    pub fn ending(&self) -> String {
        ending(self.id.as_bytes())
    }

    /// Whether this is its secret. It takes as long for a wrong one as for the right one.
    pub fn proves(&self, secret: &str, key: &TokenKey) -> bool {
        key.hash(secret).as_bytes().ct_eq(self.hash.as_bytes()).into()
    }

    /// Whether it works at this instant.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }

    /// What a leaf says of where it may be used from: nothing where it is good anywhere.
    pub fn commitment_to_networks(&self) -> Option<Hash> {
        let networks = serde_json::to_value(&self.from).unwrap_or_default();
        (!self.from.is_empty()).then(|| hash_of_digest(&canonical::digest(&networks)))
    }

    /// What a leaf says of its secret, of which the exchange itself knows a keyed hash.
    pub fn commitment_to_secret(&self) -> Hash {
        hash_of_digest(&canonical::digest_of_bytes(self.hash.as_bytes()))
    }

    /// Refused where it is bound to networks and shown from none of them. An address that nobody
    /// knows is in no network.
    fn must_be_shown_from(&self, place: RemoteAddress) -> Result<(), Refusal> {
        let is_in = |address: IpAddr| self.from.iter().any(|network| network.contains(address));
        let place = match place {
            _ if self.from.is_empty() => return Ok(()),
            RemoteAddress::Address(address) if is_in(address) => return Ok(()),
            RemoteAddress::Address(address) => address.to_canonical().to_string(),
            RemoteAddress::Unknown => "an address that nobody knows".to_owned(),
        };
        let message = format!("token {} is not good from {place}", self.id);
        Err(Refusal::new(RefusalCode::TokenNetwork, message)
            .hint("use it where it was made for, or ask for one that is good there"))
    }
}

/// Where a token is shown from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteAddress {
    /// The other end of the connection.
    Address(IpAddr),
    /// Somebody stands in between, or there is no connection.
    Unknown,
}

/// Who shows this token.
///
/// # Errors
///
/// If it is no token of this project, works no longer, or not from there. Why is said only to whoever
/// has the secret.
pub fn principal(
    directory: &Directory,
    key: &TokenKey,
    shown: &Credential,
    place: RemoteAddress,
    now: Timestamp,
) -> Result<Principal, Refusal> {
    let proven = directory
        .token_ending_with(&shown.token_ending)
        .filter(|token| shown.is_of(directory.project) && token.proves(shown.secret(), key));
    let owned = proven.and_then(|token| Some((token, directory.party(token.party)?)));
    // A role does nothing itself, whatever it was when its token was created.
    let (token, party) =
        owned.filter(|(_, party)| party.kind != PartyKind::Role).ok_or_else(|| {
            Refusal::new(RefusalCode::TokenInvalid, "this is no token of the project")
                .hint("an operator makes one: `tasuki token create --as NAME`")
        })?;
    if let Some(at) = token.revoked_at {
        let message = format!("token {} was revoked at {at:.6}", token.id);
        return Err(Refusal::new(RefusalCode::TokenRevoked, message).hint("ask for a new one"));
    }
    if !token.is_live(now) {
        let message = format!("token {} expired at {:.6}", token.id, token.expires_at);
        return Err(Refusal::new(RefusalCode::TokenExpired, message).hint("ask for a new one"));
    }
    token.must_be_shown_from(place)?;
    Ok(Principal {
        party: party.id,
        kind: party.kind.actor(),
        authentication: Authentication::Token,
        credential: Some(token.id),
        on_behalf_of: None,
        scopes: token.scopes,
    })
}
