//! What the project agreed on: contracts, gates, rules, settings.

use serde_json::{Map, Value, json};
use tasuki_api as api;
use ureq::http::Method;

use crate::address::path;
use crate::ask::PublishContract;
use crate::client::Client;
use crate::error::Error;
use crate::gives::{ContractLine, ContractShown, Document, GateLine, Page, Project};

impl Client {
    /// The contracts of the project.
    pub fn contracts(&self) -> Result<Vec<ContractLine>, Error> {
        let page: Page<ContractLine> = self.get("/v1/contracts").document()?;
        Ok(page.items)
    }

    /// A contract; `name@1.0` names a version, else it is the newest.
    pub fn contract(&self, name: &str) -> Result<ContractShown, Error> {
        self.get(path("/v1/contracts/{}", name)).document()
    }

    /// Lets handoffs use a contract from now on.
    pub fn publish_contract(&self, asked: &PublishContract) -> Result<api::Answer, Error> {
        self.post("/v1/contracts").json(asked).document()
    }

    /// The gates of the project.
    pub fn gates(&self) -> Result<Vec<GateLine>, Error> {
        let page: Page<GateLine> = self.get("/v1/gates").document()?;
        Ok(page.items)
    }

    /// The newest version of a gate.
    pub fn gate(&self, name: &str) -> Result<Document, Error> {
        self.get(path("/v1/gates/{}", name)).document()
    }

    /// Lets a gate hold handoffs from now on.
    pub fn publish_gate(&self, document: &Value) -> Result<api::Answer, Error> {
        self.post("/v1/gates").json(&json!({ "document": document })).document()
    }

    /// What the project demands of every packet, if anything.
    pub fn rules(&self) -> Result<Option<Document>, Error> {
        let shown: Value = self.get("/v1/rules").document()?;
        Ok(serde_json::from_value(shown).ok())
    }

    /// Lets rules hold from now on, in place of those before.
    pub fn set_rules(&self, document: &Value) -> Result<api::Answer, Error> {
        self.request(Method::PUT, "/v1/rules").json(&json!({ "document": document })).document()
    }

    /// The project and its settings.
    pub fn project(&self) -> Result<Project, Error> {
        self.get("/v1/project").document()
    }

    /// Changes settings of the project; the others stay as they are.
    pub fn set_project(&self, settings: &Map<String, Value>) -> Result<api::Answer, Error> {
        self.request(Method::PATCH, "/v1/project").json(settings).document()
    }
}
