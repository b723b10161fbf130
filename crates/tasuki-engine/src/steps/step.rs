//! The contract between a command and the worker that runs it.
//!
//! A `Step` is a command as its caller states it. Preparing it in the caller's task reads, checks
//! and seals what it carries. The result is a `PreparedStep`, which the worker queues, loads data
//! for and decides.

use std::fmt::Debug;

use serde::{Serialize, Serializer};
use tasuki_packet::canonical;
use tasuki_packet::id::{HandoffId, PartyId, QuestionId};

use crate::model::{Change, Context, Directory, IdempotencyKey, LoadSet};
use crate::ports::Loaded;
use crate::prepare::input::PrepareInput;
use crate::prepare::packet::PreparedPacket;
use crate::refusal::Refusal;
use crate::rules::scopes::RequiredScopes;

/// A command as its caller states it. An idempotency key is bound to its serialized form.
pub trait Step: Clone + Debug + Serialize + Send + Sync + 'static {
    /// The name of the command, which is part of the scope of an idempotency key.
    const NAME: &'static str;

    /// The scopes that a credential needs.
    const SCOPES: RequiredScopes;

    /// The command once prepared.
    type Prepared: PreparedStep;

    /// Returns the documents to read from the store before preparing.
    fn reads(&self) -> Reads {
        Reads::Nothing
    }

    /// Reads, checks and seals what the command carries.
    fn prepare(&self, input: &PrepareInput) -> Result<Self::Prepared, Refusal>;
}

/// The stored documents that a command builds on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// None.
    Nothing,
    /// The current packet of a handoff.
    Packet(HandoffId),
    /// The requirements of a handoff on its return.
    ReturnRequirements(HandoffId),
    /// The packets of the chain that a new handoff continues from this one.
    Parent(HandoffId),
    /// The packets of the chain of a handoff that gets a new revision.
    Revision(HandoffId),
    /// The packets of the chain of a handoff that gets a new revision, and the question that it
    /// answers: this one, or the only open one.
    Answer(HandoffId, Option<QuestionId>),
}

impl Reads {
    /// Returns the handoff whose documents are read.
    pub const fn handoff(self) -> Option<HandoffId> {
        match self {
            Self::Nothing => None,
            Self::Packet(id)
            | Self::ReturnRequirements(id)
            | Self::Parent(id)
            | Self::Revision(id)
            | Self::Answer(id, _) => Some(id),
        }
    }
}

/// A command in the queue, held as `Arc<dyn PreparedStep>`.
pub trait PreparedStep: Debug + Send + Sync + 'static {
    /// Returns the handoff that the command is about.
    fn handoff(&self) -> Option<HandoffId> {
        None
    }

    /// Adds the data to load besides that handoff.
    fn load(&self, _directory: &Directory, _caller: PartyId, _set: &mut LoadSet) {}

    /// Adds the data to load in a second round, given the result of the first.
    fn load_further(&self, _caller: PartyId, _loaded: &Loaded, _set: &mut LoadSet) {}

    /// Returns the idempotency key of a claim of the next offer.
    fn claim_key(&self, _caller: PartyId) -> Option<IdempotencyKey> {
        None
    }

    /// Returns `true` if the command sets the time of the log back to the wall clock.
    fn resets_clock(&self) -> bool {
        false
    }

    /// Returns `true` if the command is decided before the deadlines of its batch.
    fn runs_before_deadlines(&self) -> bool {
        false
    }

    /// Returns `true` if preparing depended on the policy of the project.
    fn depends_on_policy(&self) -> bool {
        true
    }

    /// Returns the number of secrets redacted outside of packets, which carry their own notes.
    fn redacted_count(&self) -> usize {
        0
    }

    /// Returns the packet that the command carries.
    fn packet(&self) -> Option<&PreparedPacket> {
        None
    }

    /// Decides the command. It is pure: everything it depends on is in the context.
    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal>;
}

/// Serializes the bytes of a packet as their digest.
pub(super) fn source_digest<S: Serializer>(
    source: &[u8],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&canonical::digest_of_bytes(source))
}

/// Serializes the bytes of an optional packet as their digest.
#[expect(clippy::ref_option, reason = "serde hands over a reference to the field")]
pub(super) fn optional_source_digest<S: Serializer>(
    source: &Option<Vec<u8>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    source.as_deref().map(canonical::digest_of_bytes).serialize(serializer)
}
