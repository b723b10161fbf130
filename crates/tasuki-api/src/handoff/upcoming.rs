//! The next deadline of a handoff, and the fallback ladder that it follows if no one acts.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use crate::schema::types as schema;
use crate::serde_format::instant;
use crate::word_enum::word_enum;

word_enum! {
    /// The deadline that a handoff misses next.
    pub enum DueFor {
        /// A person must decide about the hold.
        Decide = "decide",
        /// The receiver must read it.
        Deliver = "deliver",
        /// The receiver must claim it.
        Claim = "claim",
        /// The holder must record its first checkpoint.
        Start = "start",
        /// The holder must record progress.
        Progress = "progress",
        /// The holder must return the work.
        Return = "return",
        /// The return must be judged.
        Verify = "verify",
        /// The receiver must make progress of any kind.
        NoProgress = "no_progress",
        /// The holder must renew its lease.
        Lease = "lease",
        /// The packet expires.
        Expires = "expires",
        /// A gate must be signed.
        Gate = "gate",
        /// A signature expires, and the gate must be signed again.
        Signature = "signature",
        /// No member of the receiving role is left to claim it.
        Receiver = "receiver",
        /// A task that a program began by itself must get a checkpoint, or it ends.
        End = "end",
    }
}

/// The rung that a handoff goes to when its next deadline passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextRung {
    /// The party or role, or `dead_letter`.
    pub to: String,
    /// The time at which it goes there.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The cause: `no_progress`, `expired` or `lapsed`.
    pub on: String,
}

/// A rung of a fallback ladder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LadderRung {
    /// The party or role, or `dead_letter`.
    pub to: String,
    /// The time without progress after which it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<schema::Duration>"))]
    pub after: Option<String>,
    /// The only cause for which it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// `true` if the handoff has come to it or past it.
    pub used: bool,
}
