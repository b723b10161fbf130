//! Running a project: dead letters, halt, the log.

use tasuki_api as api;
use ureq::http::Method;

use super::Reason;
use crate::address::path;
use crate::client::Client;
use crate::error::Error;
use crate::gives::{LogChecked, Page};

impl Client {
    /// Work that nobody could go on with.
    pub fn dead(
        &self,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<api::Handoff>, Error> {
        self.get("/v1/dead").with("limit", limit).with("cursor", cursor).document()
    }

    /// Starts a dead letter again, with its first receiver.
    pub fn redrive(&self, handoff: &str, reason: Option<&str>) -> Result<api::Answer, Error> {
        self.post(path("/v1/dead/{}/redrive", handoff)).json(&Reason { reason }).document()
    }

    /// Gives a dead letter up for good.
    pub fn discard(&self, handoff: &str, reason: Option<&str>) -> Result<api::Answer, Error> {
        self.post(path("/v1/dead/{}/discard", handoff)).json(&Reason { reason }).document()
    }

    /// Stops the project: every claim ends, and nobody claims until it is lifted.
    pub fn halt(&self, reason: Option<&str>) -> Result<api::Answer, Error> {
        self.post("/v1/halt").json(&Reason { reason }).document()
    }

    /// Lets work go on.
    pub fn lift(&self, reason: Option<&str>) -> Result<api::Answer, Error> {
        self.request(Method::DELETE, "/v1/halt").with("reason", reason).document()
    }

    /// The leaves of the log, exactly as they were hashed, one per line.
    pub fn leaves(&self, from: u64, limit: u32) -> Result<String, Error> {
        let bytes = self
            .get("/v1/log/leaves")
            .with("from", Some(from))
            .with("limit", Some(limit))
            .bytes()?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Recomputes everything, and names the first leaf that is wrong.
    pub fn check_log(&self, from: u64) -> Result<LogChecked, Error> {
        self.get("/v1/log/check").with("from", Some(from)).document()
    }
}
