//! A holder passes its work on to another party.
//!
//! Passing on is a submit with the holder's own handoff as parent. From then on the parent takes no
//! write of the holder and cannot lapse, until the child is claimed or ends.

use serde::Serialize;
use tasuki_packet::id::HandoffId;

use crate::model::Scope;
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::fencing::ClaimProof;
use crate::rules::scopes::RequiredScopes;
use crate::steps::step::source_digest;
use crate::steps::submit::{self, PreparedSubmit};
use crate::steps::{Reads, Step, Submit};

/// Work to be passed on.
#[derive(Debug, Clone, Serialize)]
pub struct PassOn {
    /// The claim whose work it is.
    pub parent: ClaimProof,
    /// The packet in any form.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
    /// The receiver, if it is another one than the packet names.
    pub to: Option<String>,
    /// Whether a person shall look at it first, whatever the contract says.
    pub hold: bool,
    /// The live handoff of the task that it replaces, if the packet does not say so.
    pub supersedes: Option<HandoffId>,
}

impl PassOn {
    /// Passes the work of a claim on as the packet states it.
    pub fn new(parent: ClaimProof, source: Vec<u8>) -> Self {
        Self { parent, source, to: None, hold: false, supersedes: None }
    }
}

impl Step for PassOn {
    const NAME: &'static str = "pass_on";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Submit, Scope::Receive]);
    type Prepared = PreparedSubmit;

    fn reads(&self) -> Reads {
        Reads::Parent(self.parent.handoff)
    }

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedSubmit, Refusal> {
        let Self { parent, source, to, hold, supersedes } = self.clone();
        submit::prepare(&Submit { source, to, hold, supersedes }, Some(parent), input)
    }
}
