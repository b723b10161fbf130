//! A holder passes its work on to another party.
//!
//! This is a submit with the holder's own handoff as parent. The parent then accepts no write of
//! the holder, and its lease does not run, until the child is claimed or ends.

use serde::Serialize;
use serde_json::Value;
use tasuki_api::WorkTree;
use tasuki_packet::id::HandoffId;

use crate::model::Scope;
use crate::prepare::input::PrepareInput;
use crate::refusal::Refusal;
use crate::rules::fencing::ClaimProof;
use crate::rules::scopes::RequiredScopes;
use crate::steps::step::source_digest;
use crate::steps::submit::{self, PreparedSubmit};
use crate::steps::{Reads, Step, Submit};

/// Passes work on.
#[derive(Debug, Clone, Serialize)]
pub struct PassOn {
    /// The claim on the work.
    pub parent: ClaimProof,
    /// The packet in any form.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
    /// The receiver, if it is not the one that the packet names.
    pub to: Option<String>,
    /// `true` to hold it for a person, whatever the contract says.
    pub hold: bool,
    /// The live handoff of the task to replace, if the packet does not name it.
    pub supersedes: Option<HandoffId>,
    /// The sender's own variant that the packet must satisfy, as a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<Value>,
    /// The work tree that the command was sent from. A repeated command may come from another one.
    #[serde(skip)]
    pub work_tree: Option<WorkTree>,
}

impl PassOn {
    /// Passes the work of a claim on as the packet states it.
    pub fn new(parent: ClaimProof, source: Vec<u8>) -> Self {
        let (to, supersedes, variant, work_tree) = (None, None, None, None);
        Self { parent, source, to, hold: false, supersedes, variant, work_tree }
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
        let Self { parent, source, to, hold, supersedes, variant, work_tree } = self.clone();
        let submit = Submit { source, to, hold, supersedes, variant, work_tree };
        submit::prepare(&submit, Some(parent), input)
    }
}
