//! A subscription: who is told of which events, and how.
//!
//! Whoever signs a webhook needs its secret, so the record holds it as it is: whoever can read the
//! store can sign in its name. It is shown once, when it is made, and never listed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_packet::api::Secret;
use tasuki_packet::id::{PartyId, SubscriptionId};

use crate::events::Filter;
use crate::handoff::is_default;

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
    pub filter: Filter,
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
    /// `whsec_` and the base64 of 32 bytes, as Standard Webhooks writes it.
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
        because: Because,
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
pub enum Because {
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

    /// Whether it is there no longer.
    pub fn is_removed(&self) -> bool {
        matches!(self.status, Status::Removed { .. })
    }

    /// What a request is signed with at this instant, newest first.
    pub fn secrets(&self, now: Timestamp) -> Vec<&Secret> {
        let Channel::Webhook { secrets, .. } = &self.channel else { return Vec::new() };
        let is_used = |one: &&SigningSecret| one.until.is_none_or(|until| now < until);
        secrets.iter().filter(is_used).map(|one| &one.secret).collect()
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

impl Because {
    /// The word as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Failing => "failing",
            Self::Gone => "gone",
        }
    }
}
