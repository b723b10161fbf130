//! Dead letters, halt and the log.

use tasuki_api::{
    CommandResponse, DeadLetterRequest, Handoff, LogCheckReport, Page, ReasonRequest,
};
use ureq::http::Method;

use crate::address::path;
use crate::client::Client;
use crate::error::Error;

impl Client {
    /// Lists dead letters, newest first.
    pub fn dead(&self, limit: Option<u32>, cursor: Option<&str>) -> Result<Page<Handoff>, Error> {
        self.get("/v1/dead").with("limit", limit).with("cursor", cursor).document()
    }

    /// Restarts a dead letter with its first receiver.
    pub fn redrive(
        &self,
        handoff: &str,
        request: &DeadLetterRequest,
    ) -> Result<CommandResponse, Error> {
        self.post(path("/v1/dead/{}/redrive", handoff)).json(request).document()
    }

    /// Discards a dead letter.
    pub fn discard(
        &self,
        handoff: &str,
        request: &DeadLetterRequest,
    ) -> Result<CommandResponse, Error> {
        self.post(path("/v1/dead/{}/discard", handoff)).json(request).document()
    }

    /// Halts the project: every claim ends, and no work can be claimed until the halt is lifted.
    pub fn halt(&self, reason: Option<&str>) -> Result<CommandResponse, Error> {
        self.post("/v1/halt").json(&ReasonRequest::from(reason)).document()
    }

    /// Lifts the halt of the project.
    pub fn lift(&self, reason: Option<&str>) -> Result<CommandResponse, Error> {
        self.request(Method::DELETE, "/v1/halt").with("reason", reason).document()
    }

    /// Returns leaves of the log exactly as they were hashed, one per line.
    pub fn leaves(&self, from: u64, limit: u32) -> Result<String, Error> {
        let request = self.get("/v1/log/leaves");
        let bytes = request.with("from", Some(from)).with("limit", Some(limit)).bytes()?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Checks the log from a leaf on, and reports the first invalid leaf.
    pub fn check_log(&self, from: u64) -> Result<LogCheckReport, Error> {
        self.get("/v1/log/check").with("from", Some(from)).document()
    }
}
