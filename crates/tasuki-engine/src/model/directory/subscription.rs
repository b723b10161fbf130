//! A subscription of a party to events, by webhook, email, Slack or ntfy.
//!
//! Signing a webhook needs its secret, so the record holds it in plain text. Read access to the
//! store is therefore enough to sign in its name. The secret is shown once, on creation, and never
//! listed. The URL of Slack or ntfy lets its owner post there, so it is a secret too.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_api::{Secret, Signing};
use tasuki_packet::id::{PartyId, SubscriptionId};

use crate::model::EventFilter;
use crate::model::handoff::is_default;

/// A subscription in the directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionRecord {
    /// Its id.
    pub id: SubscriptionId,
    /// The subscriber.
    pub party: PartyId,
    /// The channel.
    pub channel: Channel,
    /// The events to deliver; an empty filter matches all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub filter: EventFilter,
    /// When it was added.
    pub created_at: Timestamp,
    /// The number of the first leaf that it covers.
    pub from: u64,
    /// The status.
    #[serde(default, skip_serializing_if = "is_default")]
    pub status: Status,
}

/// The channel of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Channel {
    /// A signed request to a URL.
    Webhook {
        /// The URL.
        url: String,
        /// The signing secrets, newest first.
        secrets: Vec<SigningSecret>,
    },
    /// An email.
    Email {
        /// The address.
        address: String,
    },
    /// A message in a Slack channel.
    Slack {
        /// The URL of the incoming webhook.
        url: Secret,
    },
    /// A push message by ntfy.
    Ntfy {
        /// The URL of the topic.
        url: Secret,
        /// The access token of the ntfy server.
        #[serde(default, skip_serializing_if = "is_default")]
        token: Option<Secret>,
    },
    /// No channel: the subscription was removed, together with its address and secrets.
    None {},
}

/// A secret that signs requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SigningSecret {
    /// The prefix `whsec_` or `whsk_` and the base64 of 32 bytes, as in Standard Webhooks.
    pub secret: Secret,
    /// When it stops being used beside a newer one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub until: Option<Timestamp>,
}

/// The status of a subscription.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case", deny_unknown_fields)]
pub enum Status {
    /// Events are delivered.
    #[default]
    Active,
    /// Delivery is stopped until a caller enables it again.
    Disabled {
        /// When it was disabled.
        at: Timestamp,
        /// The reason.
        because: DisableReason,
    },
    /// The subscription was removed.
    Removed {
        /// When it was removed.
        at: Timestamp,
    },
}

/// The reason why a subscription was disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisableReason {
    /// A caller disabled it.
    Asked,
    /// Deliveries failed for too long.
    Failing,
    /// The receiver responded that it is gone.
    Gone,
}

impl SubscriptionRecord {
    /// Returns `true` if events are delivered.
    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }

    /// Returns `true` if it was active at this instant and later disabled for failed deliveries.
    pub fn has_failed_since(&self, then: Timestamp) -> bool {
        match self.status {
            Status::Disabled { at, because } => because != DisableReason::Asked && then <= at,
            Status::Active | Status::Removed { .. } => false,
        }
    }

    /// Returns `true` if it was removed.
    pub fn is_removed(&self) -> bool {
        matches!(self.status, Status::Removed { .. })
    }

    /// Returns the secrets that sign requests at this instant, newest first.
    pub fn secrets(&self, now: Timestamp) -> Vec<&SigningSecret> {
        let Channel::Webhook { secrets, .. } = &self.channel else { return Vec::new() };
        let is_used = |one: &&SigningSecret| one.until.is_none_or(|until| now < until);
        secrets.iter().filter(is_used).collect()
    }
}

impl SigningSecret {
    /// Returns the signature scheme of this secret.
    pub fn signing(&self) -> Signing {
        if self.secret.0.starts_with(Signing::KeyPair.prefix()) {
            Signing::KeyPair
        } else {
            Signing::Shared
        }
    }

    /// Decodes the secret; `None` if it is malformed.
    pub fn bytes(&self) -> Option<[u8; 32]> {
        let text = self.secret.0.strip_prefix(self.signing().prefix())?;
        STANDARD.decode(text).ok()?.try_into().ok()
    }

    /// Returns the public key of a key pair.
    pub fn public_key(&self) -> Option<String> {
        let seed = self.bytes().filter(|_| self.signing() == Signing::KeyPair)?;
        let public = ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key();
        Some(format!("whpk_{}", STANDARD.encode(public.as_bytes())))
    }
}

impl Channel {
    /// Returns `true` for messages to people, and `false` for requests to programs.
    pub const fn is_for_people(&self) -> bool {
        matches!(self, Self::Email { .. } | Self::Slack { .. } | Self::Ntfy { .. })
    }

    /// Returns the name.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Webhook { .. } => "webhook",
            Self::Email { .. } => "email",
            Self::Slack { .. } => "slack",
            Self::Ntfy { .. } => "ntfy",
            Self::None {} => "none",
        }
    }
}

impl DisableReason {
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Failing => "failing",
            Self::Gone => "gone",
        }
    }
}
