//! A subscription: who is told of which events, and how.
//!
//! Whoever signs a webhook needs its secret, so the record holds it as it is: whoever can read the
//! store can sign in its name. It is shown once, when it is made, and never listed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_api::{Secret, Signing};
use tasuki_packet::id::{PartyId, SubscriptionId};

use crate::model::EventFilter;
use crate::model::handoff::is_default;

/// A subscription as the directory keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionRecord {
    /// Its id.
    pub id: SubscriptionId,
    /// Who is told.
    pub party: PartyId,
    /// How.
    pub channel: Channel,
    /// Of what; an empty filter is everything.
    #[serde(default, skip_serializing_if = "is_default")]
    pub filter: EventFilter,
    /// When it was added.
    pub created_at: Timestamp,
    /// The number of the first leaf that it is about.
    pub from: u64,
    /// What becomes of it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: Status,
}

/// How somebody is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Channel {
    /// A signed request to an address.
    Webhook {
        /// Where to.
        url: String,
        /// What it is signed with, newest first.
        secrets: Vec<SigningSecret>,
    },
    /// A message to an address.
    Email {
        /// Where to.
        address: String,
    },
    /// Not at all: it was removed, and its address and secrets with it.
    None {},
}

/// A secret that requests are signed with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SigningSecret {
    /// `whsec_` or `whsk_` and the base64 of 32 bytes, as Standard Webhooks writes them.
    pub secret: Secret,
    /// Until when it is used beside a newer one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub until: Option<Timestamp>,
}

/// What becomes of a subscription.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case", deny_unknown_fields)]
pub enum Status {
    /// It is served.
    #[default]
    Active,
    /// It waits until somebody enables it again.
    Disabled {
        /// Since when.
        at: Timestamp,
        /// Why.
        because: DisableReason,
    },
    /// It is gone.
    Removed {
        /// Since when.
        at: Timestamp,
    },
}

/// Why a subscription was disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisableReason {
    /// Somebody asked for it.
    Asked,
    /// Nothing arrived for too long.
    Failing,
    /// The receiver said that it is gone.
    Gone,
}

impl SubscriptionRecord {
    /// Whether it is served.
    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }

    /// Whether it was served at this instant, and its receiver has failed since.
    pub fn has_failed_since(&self, then: Timestamp) -> bool {
        match self.status {
            Status::Disabled { at, because } => because != DisableReason::Asked && then <= at,
            Status::Active | Status::Removed { .. } => false,
        }
    }

    /// Whether it is there no longer.
    pub fn is_removed(&self) -> bool {
        matches!(self.status, Status::Removed { .. })
    }

    /// What a request is signed with at this instant, newest first.
    pub fn secrets(&self, now: Timestamp) -> Vec<&SigningSecret> {
        let Channel::Webhook { secrets, .. } = &self.channel else { return Vec::new() };
        let is_used = |one: &&SigningSecret| one.until.is_none_or(|until| now < until);
        secrets.iter().filter(is_used).collect()
    }
}

impl SigningSecret {
    /// How requests are signed with it.
    pub fn signing(&self) -> Signing {
        if self.secret.0.starts_with(Signing::KeyPair.prefix()) {
            Signing::KeyPair
        } else {
            Signing::Shared
        }
    }

    /// Its bytes; none if it is not written as it should be.
    pub fn bytes(&self) -> Option<[u8; 32]> {
        let text = self.secret.0.strip_prefix(self.signing().prefix())?;
        STANDARD.decode(text).ok()?.try_into().ok()
    }

    /// The public half of a key pair, as the receiver needs it.
    pub fn public_key(&self) -> Option<String> {
        let seed = self.bytes().filter(|_| self.signing() == Signing::KeyPair)?;
        let public = ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key();
        Some(format!("whpk_{}", STANDARD.encode(public.as_bytes())))
    }
}

impl Channel {
    /// The word as it is written.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Webhook { .. } => "webhook",
            Self::Email { .. } => "email",
            Self::None {} => "none",
        }
    }
}

impl DisableReason {
    /// The word as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Failing => "failing",
            Self::Gone => "gone",
        }
    }
}
