//! Tasks: open one for oneself, see all that happened to it, go on with it.

use serde_json::Value;
use tasuki_api as api;

use crate::address::path;
use crate::ask::Begin;
use crate::client::Client;
use crate::error::Error;
use crate::gives::Page;

impl Client {
    /// Opens a task for the caller, claimed at once.
    pub fn begin(&self, asked: &Begin) -> Result<api::Answer, Error> {
        self.post("/v1/tasks")
            .with("lease", asked.lease)
            .key(asked.key.as_ref())
            .packet(&asked.packet)
            .document()
    }

    /// Everything that happened to a task, oldest first.
    pub fn timeline(&self, task: &str) -> Result<Vec<api::Event>, Error> {
        let page: Page<api::Event> = self.get(path("/v1/tasks/{}/timeline", task)).document()?;
        Ok(page.items)
    }

    /// The packet with all checkpoints and decisions, as somebody goes on from it. One of the regulated
    /// variant has its audit trail with it.
    pub fn continuation(&self, task: &str) -> Result<Value, Error> {
        self.get(path("/v1/tasks/{}/packet", task)).document()
    }

    /// The same as a brief for a model, within a budget of tokens.
    pub fn brief(&self, task: &str, budget: Option<usize>) -> Result<api::Continuation, Error> {
        self.get(path("/v1/tasks/{}/packet", task))
            .with("as", Some("brief"))
            .with("budget", budget)
            .document()
    }
}
