//! What a command builds on: documents that were read before, because preparing reads nothing.

use std::sync::Arc;

use tasuki_packet::Packet;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Authentication;

use crate::model::{CommandSeed, Directory, Facts, Handoff};

/// What is there before a command is prepared.
#[derive(Debug, Clone)]
pub struct PrepareInput {
    /// The directory.
    pub directory: Arc<Directory>,
    /// Who asks.
    pub caller: PartyId,
    /// How they proved themselves.
    pub authentication: Authentication,
    /// The secret key of fingerprints.
    pub fingerprint_key: [u8; 32],
    /// The randomness of the command.
    pub seed: CommandSeed,
    /// The handoff that the command is about, as it was just now.
    pub handoff: Option<Handoff>,
    /// Its facts, where a command needs no more of it and they were seen lately.
    pub facts: Option<Arc<Facts>>,
    /// The facts of the handoff whose work it passes on, or is about to.
    pub work: Option<Arc<Facts>>,
    /// The packets of its chain, oldest first; the last is its current revision.
    pub chain: Vec<Arc<Packet>>,
    /// The text of the question that is answered.
    pub question: Option<String>,
}

impl PrepareInput {
    /// The current packet of the handoff.
    pub fn packet(&self) -> Option<&Packet> {
        self.chain.last().map(Arc::as_ref)
    }
}
