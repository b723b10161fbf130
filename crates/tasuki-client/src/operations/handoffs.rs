//! Handoffs: submit, list, show, revise, decide, ask, answer, verify, decline.

use serde::Deserialize;
use serde_json::{Value, json};
use tasuki_api as api;

use super::Reason;
use crate::address::path;
use crate::ask::{Answering, Asking, Decision, Listing, Revision, Submit, Verdict};
use crate::client::Client;
use crate::error::Error;
use crate::gives::{HandoffDetails, Page, Trail};

/// What is shown of a handoff without its packet.
#[derive(Deserialize)]
struct Card {
    handoff: api::Handoff,
}

impl Client {
    /// Hands work over, or passes it on.
    ///
    /// # Errors
    ///
    /// Here and in every other method: what the exchange refuses, or why it does not answer.
    pub fn submit(&self, asked: &Submit) -> Result<api::Answer, Error> {
        self.post("/v1/handoffs")
            .with("to", asked.to.as_ref())
            .flag("hold", asked.hold)
            .with("supersedes", asked.supersedes.as_ref())
            .with("parent", asked.parent.as_ref().map(|holder| &holder.handoff))
            .with("fence", asked.parent.as_ref().map(|holder| holder.fence))
            .key(asked.key.as_ref())
            .packet(&asked.packet)
            .document()
    }

    /// Lists handoffs, newest first.
    pub fn handoffs(&self, asked: &Listing) -> Result<Page<api::Handoff>, Error> {
        let states = (!asked.states.is_empty()).then(|| asked.states.join(","));
        self.get("/v1/handoffs")
            .with("state", states)
            .with("task", asked.task.as_ref())
            .with("from", asked.from.as_ref())
            .with("to", asked.to.as_ref())
            .flag("all", asked.all)
            .with("limit", asked.limit)
            .with("cursor", asked.cursor.as_ref())
            .document()
    }

    /// Shows a handoff, named by id, ending or task, with its packet.
    pub fn handoff(&self, handoff: &str) -> Result<HandoffDetails, Error> {
        self.get(path("/v1/handoffs/{}", handoff)).document()
    }

    /// The handoff alone, named in the same way. Nothing counts as read, and a gate that keeps the packet
    /// back stands in no way.
    pub fn card(&self, handoff: &str) -> Result<api::Handoff, Error> {
        let asked = self.get(path("/v1/handoffs/{}", handoff)).with("packet", Some(false));
        Ok(asked.document::<Card>()?.handoff)
    }

    /// One revision of a packet, or the current one.
    pub fn packet(&self, handoff: &str, revision: Option<u32>) -> Result<Value, Error> {
        self.get(path("/v1/handoffs/{}/packet", handoff)).with("rev", revision).document()
    }

    /// The same, exactly as it was sent.
    pub fn packet_as_sent(&self, handoff: &str, revision: Option<u32>) -> Result<Vec<u8>, Error> {
        self.get(path("/v1/handoffs/{}/packet", handoff))
            .with("rev", revision)
            .with("as", Some("sent"))
            .bytes()
    }

    /// What came back with its verdicts, newest first, also from whoever the work was passed on to.
    pub fn returns(
        &self,
        handoff: &str,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<api::Return>, Error> {
        self.get(path("/v1/handoffs/{}/returns", handoff))
            .with("limit", limit)
            .with("cursor", cursor)
            .document()
    }

    /// The audit trail: every leaf of the log about it, with its hash.
    pub fn trail(&self, handoff: &str) -> Result<Trail, Error> {
        self.get(path("/v1/handoffs/{}/trail", handoff)).document()
    }

    /// Makes a new revision, as its sender or as a person.
    pub fn revise(&self, handoff: &str, asked: &Revision) -> Result<api::Answer, Error> {
        self.post(path("/v1/handoffs/{}/revisions", handoff))
            .flag("edit", asked.edit)
            .with("reason", asked.reason.as_ref())
            .header("if-match", asked.if_match.clone())
            .packet(&asked.source)
            .document()
    }

    /// Decides as a person.
    pub fn decide(&self, handoff: &str, asked: &Decision) -> Result<api::Answer, Error> {
        self.post(path("/v1/handoffs/{}/decisions", handoff)).json(asked).document()
    }

    /// Asks its sender something as a receiver.
    pub fn ask(&self, handoff: &str, asked: &Asking) -> Result<api::Answer, Error> {
        self.post(path("/v1/handoffs/{}/questions", handoff)).json(asked).document()
    }

    /// Answers a question as its sender.
    pub fn answer(&self, handoff: &str, asked: &Answering) -> Result<api::Answer, Error> {
        self.post(path("/v1/handoffs/{}/answers", handoff))
            .header("if-match", asked.if_match.clone())
            .json(asked)
            .document()
    }

    /// Judges what came back.
    pub fn verify(&self, handoff: &str, asked: &Verdict) -> Result<api::Answer, Error> {
        let result = if asked.is_good { "pass" } else { "fail" };
        self.post(path("/v1/handoffs/{}/verdicts", handoff))
            .json(&json!({ "result": result, "reason": asked.reason }))
            .document()
    }

    /// Does not take it, and says why.
    pub fn decline(&self, handoff: &str, reason: Option<&str>) -> Result<api::Answer, Error> {
        self.post(path("/v1/handoffs/{}/declines", handoff)).json(&Reason { reason }).document()
    }
}
