//! Handoffs: submit, list, show, revise, decide, ask, answer, verify, decline.

use serde_json::{Map, Value};
use tasuki_api::{
    ActionVersion, AnswerRequest, Approval, AuditTrail, CheckpointRecord, CommandResponse,
    DecisionRequest, Handoff, HandoffDetails, Page, QuestionRequest, ReasonRequest, Return,
    VerdictRequest, WorkTree,
};

use super::ClaimProof;
use crate::address::path;
use crate::client::Client;
use crate::error::Error;

/// A packet to submit, or to pass on.
#[derive(Debug, Clone, Default)]
pub struct Submit {
    /// The packet, in any form.
    pub packet: Vec<u8>,
    /// The receiver, if it is not the one that the packet names.
    pub to: Option<String>,
    /// `true` to hold the handoff for a person.
    pub hold: bool,
    /// The live handoff of the same task that this one replaces.
    pub supersedes: Option<String>,
    /// The claim whose work is passed on.
    pub parent: Option<ClaimProof>,
    /// The idempotency key. The default is a random one per call.
    pub key: Option<String>,
    /// The work tree that the packet is sent from.
    pub work_tree: Option<WorkTree>,
    /// The team's own variant that the packet must satisfy and may name as its `profile`.
    pub variant: Option<Map<String, Value>>,
}

impl Submit {
    /// Creates a submission of a packet without options.
    pub fn new(packet: &[u8]) -> Self {
        Self { packet: packet.to_vec(), ..Self::default() }
    }
}

/// The conditions of a list of handoffs.
#[derive(Debug, Clone, Default)]
pub struct HandoffQuery {
    /// The states.
    pub states: Vec<String>,
    /// The task.
    pub task: Option<String>,
    /// The sender.
    pub from: Option<String>,
    /// The receiver.
    pub to: Option<String>,
    /// `true` to include finished handoffs.
    pub all: bool,
    /// The most handoffs on a page.
    pub limit: Option<u32>,
    /// The cursor: `next` of the previous page.
    pub cursor: Option<String>,
}

/// A new revision of a packet, or of the action that waits for approval.
#[derive(Debug, Clone, Default)]
pub struct Revision {
    /// The packet or action.
    pub source: Vec<u8>,
    /// `true` to edit it as a person.
    pub edit: bool,
    /// The reason for an edit.
    pub reason: Option<String>,
    /// The `ETag` that the caller saw. The revision is refused if it is not current.
    pub if_match: Option<String>,
}

impl Client {
    /// Submits a handoff, or passes claimed work on.
    ///
    /// ```no_run
    /// use tasuki_client::{Client, Submit};
    ///
    /// # fn main() -> Result<(), tasuki_client::Error> {
    /// # let client = Client::new("http://127.0.0.1:7420", "tasuki_agent_…")?;
    /// let packet = br#"{"handoff_version":"1.0","goal":"Fix the build"}"#;
    /// let request = Submit { to: Some("role:coder".to_owned()), ..Submit::new(packet) };
    /// let response = client.submit(&request)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As every method: [`Error::Refused`] if the server refuses the request, any other variant if
    /// there is no usable response.
    pub fn submit(&self, request: &Submit) -> Result<CommandResponse, Error> {
        self.post("/v1/handoffs")
            .with("to", request.to.as_ref())
            .flag("hold", request.hold)
            .with("supersedes", request.supersedes.as_ref())
            .with("parent", request.parent.as_ref().map(|claim| &claim.handoff))
            .with("fence", request.parent.as_ref().map(|claim| claim.fence))
            .key(request.key.as_ref())
            .packet_with(&request.packet, request.work_tree.as_ref(), request.variant.as_ref())
            .document()
    }

    /// Lists handoffs, newest first.
    pub fn handoffs(&self, query: &HandoffQuery) -> Result<Page<Handoff>, Error> {
        let states = (!query.states.is_empty()).then(|| query.states.join(","));
        self.get("/v1/handoffs")
            .with("state", states)
            .with("task", query.task.as_ref())
            .with("from", query.from.as_ref())
            .with("to", query.to.as_ref())
            .flag("all", query.all)
            .with("limit", query.limit)
            .with("cursor", query.cursor.as_ref())
            .document()
    }

    /// Returns a handoff with its packet. The reference is an id, an ending of it, or a task.
    pub fn handoff(&self, handoff: &str) -> Result<HandoffDetails, Error> {
        self.get(path("/v1/handoffs/{}", handoff)).document()
    }

    /// Returns a handoff without its packet. It does not count as delivered, and works even if a gate
    /// hides the packet.
    pub fn card(&self, handoff: &str) -> Result<Handoff, Error> {
        Ok(self.details_without_packet(handoff)?.handoff)
    }

    /// Returns the latest decision about an action of a handoff's holder.
    pub fn approval(&self, handoff: &str) -> Result<Option<Approval>, Error> {
        Ok(self.details_without_packet(handoff)?.approval)
    }

    fn details_without_packet(&self, handoff: &str) -> Result<HandoffDetails, Error> {
        self.get(path("/v1/handoffs/{}", handoff)).with("packet", Some(false)).document()
    }

    /// Returns a revision of the packet, or the current one.
    pub fn packet(&self, handoff: &str, revision: Option<u32>) -> Result<Value, Error> {
        self.get(path("/v1/handoffs/{}/packet", handoff)).with("rev", revision).document()
    }

    /// Returns a revision of the packet, or the current one, exactly as it was sent.
    pub fn packet_as_sent(&self, handoff: &str, revision: Option<u32>) -> Result<Vec<u8>, Error> {
        self.get(path("/v1/handoffs/{}/packet", handoff))
            .with("rev", revision)
            .with("as", Some("sent"))
            .bytes()
    }

    /// Lists return packets with their verdicts, newest first, including those of handoffs that the
    /// work was passed on to.
    pub fn returns(
        &self,
        handoff: &str,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<Return>, Error> {
        self.get(path("/v1/handoffs/{}/returns", handoff))
            .with("limit", limit)
            .with("cursor", cursor)
            .document()
    }

    /// Lists checkpoints with their packets, oldest first.
    pub fn checkpoints(
        &self,
        handoff: &str,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<CheckpointRecord>, Error> {
        self.get(path("/v1/handoffs/{}/checkpoints", handoff))
            .with("limit", limit)
            .with("cursor", cursor)
            .document()
    }

    /// Lists every version of the actions that the holder wanted approved, oldest first.
    pub fn actions(
        &self,
        handoff: &str,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<ActionVersion>, Error> {
        self.get(path("/v1/handoffs/{}/actions", handoff))
            .with("limit", limit)
            .with("cursor", cursor)
            .document()
    }

    /// Returns the audit trail: every leaf of the log about the handoff, with its hash.
    pub fn trail(&self, handoff: &str) -> Result<AuditTrail, Error> {
        self.get(path("/v1/handoffs/{}/trail", handoff)).document()
    }

    /// Creates a revision, as the sender or as a person.
    pub fn revise(&self, handoff: &str, revision: &Revision) -> Result<CommandResponse, Error> {
        self.post(path("/v1/handoffs/{}/revisions", handoff))
            .flag("edit", revision.edit)
            .with("reason", revision.reason.as_ref())
            .header("if-match", revision.if_match.clone())
            .packet(&revision.source)
            .document()
    }

    /// Records a decision. A signature at a gate needs a client from [`sign_in`](Self::sign_in) and
    /// the password of the person.
    pub fn decide(
        &self,
        handoff: &str,
        request: &DecisionRequest,
    ) -> Result<CommandResponse, Error> {
        self.post(path("/v1/handoffs/{}/decisions", handoff)).json(request).document()
    }

    /// Asks the sender a question.
    pub fn ask(&self, handoff: &str, request: &QuestionRequest) -> Result<CommandResponse, Error> {
        self.post(path("/v1/handoffs/{}/questions", handoff)).json(request).document()
    }

    /// Answers a question. With an `ETag`, the answer is refused if that revision is not current.
    pub fn answer(
        &self,
        handoff: &str,
        request: &AnswerRequest,
        if_match: Option<&str>,
    ) -> Result<CommandResponse, Error> {
        self.post(path("/v1/handoffs/{}/answers", handoff))
            .header("if-match", if_match.map(str::to_owned))
            .json(request)
            .document()
    }

    /// Records a verdict on the return packet.
    pub fn verify(
        &self,
        handoff: &str,
        request: &VerdictRequest,
    ) -> Result<CommandResponse, Error> {
        self.post(path("/v1/handoffs/{}/verdicts", handoff)).json(request).document()
    }

    /// Declines an offered handoff.
    pub fn decline(&self, handoff: &str, reason: Option<&str>) -> Result<CommandResponse, Error> {
        let request = self.post(path("/v1/handoffs/{}/declines", handoff));
        request.json(&ReasonRequest::from(reason)).document()
    }
}
