//! Contracts, gates, rules and the settings of the project.

use tasuki_api::{
    CommandResponse, ContractDetails, ContractRequest, ContractSummary, GateSummary, Page,
    PolicyDetails, PolicyRequest, Project, ProjectSettings,
};
use ureq::http::Method;

use crate::address::path;
use crate::client::Client;
use crate::error::Error;

impl Client {
    /// Lists the contracts of the project.
    pub fn contracts(&self) -> Result<Vec<ContractSummary>, Error> {
        let page: Page<ContractSummary> = self.get("/v1/contracts").document()?;
        Ok(page.items)
    }

    /// Returns a contract: a version of it (`name@1.0`), or the newest one (`name`).
    pub fn contract(&self, name: &str) -> Result<ContractDetails, Error> {
        self.get(path("/v1/contracts/{}", name)).document()
    }

    /// Publishes a contract.
    pub fn publish_contract(&self, request: &ContractRequest) -> Result<CommandResponse, Error> {
        self.post("/v1/contracts").json(request).document()
    }

    /// Lists the gates of the project.
    pub fn gates(&self) -> Result<Vec<GateSummary>, Error> {
        let page: Page<GateSummary> = self.get("/v1/gates").document()?;
        Ok(page.items)
    }

    /// Returns the newest version of a gate.
    pub fn gate(&self, name: &str) -> Result<PolicyDetails, Error> {
        self.get(path("/v1/gates/{}", name)).document()
    }

    /// Publishes a gate.
    pub fn publish_gate(&self, request: &PolicyRequest) -> Result<CommandResponse, Error> {
        self.post("/v1/gates").json(request).document()
    }

    /// Returns the rules of the project, which may be none.
    pub fn rules(&self) -> Result<PolicyDetails, Error> {
        self.get("/v1/rules").document()
    }

    /// Replaces the rules of the project.
    pub fn set_rules(&self, request: &PolicyRequest) -> Result<CommandResponse, Error> {
        self.request(Method::PUT, "/v1/rules").json(request).document()
    }

    /// Returns the project and its settings.
    pub fn project(&self) -> Result<Project, Error> {
        self.get("/v1/project").document()
    }

    /// Changes settings of the project. Other settings keep their values.
    pub fn set_project(&self, settings: &ProjectSettings) -> Result<CommandResponse, Error> {
        self.request(Method::PATCH, "/v1/project").json(settings).document()
    }
}
