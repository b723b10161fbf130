//! The randomness of one command, drawn before it enters the queue.
//!
//! The seed is one secret; ids and salts are derived from it by name. So `decide` stays pure,
//! and deciding the same command again (a batch that is tried one by one) gives the same ids.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

/// The randomness of one command.
#[derive(Clone, PartialEq, Eq)]
pub struct CommandSeed {
    seed: [u8; 32],
}

/// An id type that can be made from time and randomness.
pub trait NewId {
    /// The id.
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
    /// A seed of 32 bytes that nobody can guess.
    pub const fn new(seed: [u8; 32]) -> Self {
        Self { seed }
    }

    /// A new id of this instant; each name gives another one.
    pub fn id<T: NewId>(&self, name: &str, now: Timestamp) -> T {
        let random = self.bytes(name);
        let mut ten = [0; 10];
        ten.copy_from_slice(&random[..10]);
        T::new_id(u64::try_from(now.as_millisecond()).unwrap_or_default(), ten)
    }

    /// A salt for the commitment to one document.
    pub fn salt(&self, name: &str) -> [u8; 32] {
        self.bytes(name)
    }

    fn bytes(&self, name: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.seed).chain_update(name).finalize().into()
    }
}

/// A seed is a secret until its ids are out: it is not printed.
impl std::fmt::Debug for CommandSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CommandSeed")
    }
}
