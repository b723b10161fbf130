//! The randomness of one command, drawn before it enters the queue.
//!
//! Ids and salts are derived from one secret seed by name. This keeps `decide` pure: deciding the
//! same command again, as when a failed batch is retried command by command, yields the same ids.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

/// The randomness of one command.
#[derive(Clone, PartialEq, Eq)]
pub struct CommandSeed {
    seed: [u8; 32],
}

/// An id type that is built from time and randomness.
pub trait NewId {
    /// Creates the id.
    fn new_id(unix_ms: u64, random: [u8; 10]) -> Self;
}

macro_rules! new_ids {
    ($($name:ident),+) => {
        $(impl NewId for tasuki_packet::id::$name {
            fn new_id(unix_ms: u64, random: [u8; 10]) -> Self {
                Self::new(unix_ms, random)
            }
        })+
    };
}

new_ids!(
    HandoffId,
    ClaimId,
    CheckpointId,
    ReturnId,
    VerdictId,
    DecisionId,
    QuestionId,
    PartyId,
    ProjectId,
    SubscriptionId,
    TaskId,
    TokenId
);

impl CommandSeed {
    /// Creates a seed from 32 unguessable bytes.
    pub const fn new(seed: [u8; 32]) -> Self {
        Self { seed }
    }

    /// Returns an id for this instant; each name yields a different one.
    pub fn id<T: NewId>(&self, name: &str, now: Timestamp) -> T {
        let random = self.bytes(name);
        let mut ten = [0; 10];
        ten.copy_from_slice(&random[..10]);
        T::new_id(u64::try_from(now.as_millisecond()).unwrap_or_default(), ten)
    }

    /// Returns a salt for the commitment to one document.
    pub fn salt(&self, name: &str) -> [u8; 32] {
        self.bytes(name)
    }

    fn bytes(&self, name: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.seed).chain_update(name).finalize().into()
    }
}

/// Omits the seed, which is secret until its ids are published.
impl std::fmt::Debug for CommandSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CommandSeed")
    }
}
