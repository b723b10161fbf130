//! The stored data that preparing a command needs, read beforehand because preparing does no I/O.

use std::sync::Arc;

use tasuki_packet::Packet;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Authentication;

use crate::model::{CommandSeed, Directory, Facts, Handoff};

/// The input of [`Step::prepare`](crate::steps::Step::prepare).
#[derive(Debug, Clone)]
pub struct PrepareInput {
    /// The directory.
    pub directory: Arc<Directory>,
    /// The caller.
    pub caller: PartyId,
    /// How the caller was authenticated.
    pub authentication: Authentication,
    /// The only receivers of a write-only caller; empty for every other caller.
    pub receivers: Vec<PartyId>,
    /// The secret key of fingerprints.
    pub fingerprint_key: [u8; 32],
    /// The seed of the command.
    pub seed: CommandSeed,
    /// The handoff that the command concerns, which may be outdated by the time of the decision.
    pub handoff: Option<Handoff>,
    /// The cached facts of the handoff, for a command that needs nothing else of it.
    pub facts: Option<Arc<Facts>>,
    /// The facts of the handoff whose work is passed on: the parent.
    pub work: Option<Arc<Facts>>,
    /// The packets of its chain, oldest first; the last is its current revision.
    pub chain: Vec<Arc<Packet>>,
    /// The text of the question to answer.
    pub question: Option<String>,
}

impl PrepareInput {
    /// Returns the current packet of the handoff.
    pub fn packet(&self) -> Option<&Packet> {
        self.chain.last().map(Arc::as_ref)
    }
}
