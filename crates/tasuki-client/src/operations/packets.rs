//! Validation, schemas and batches.

use serde_json::Value;
use tasuki_api::{BatchRequest, BatchResponse, ValidationReport};

use crate::client::Client;
use crate::error::Error;

impl Client {
    /// Validates a packet against a variant and a contract of the project. Nothing is stored.
    pub fn validate(
        &self,
        packet: &[u8],
        variant: Option<&str>,
        contract: Option<&str>,
    ) -> Result<ValidationReport, Error> {
        self.post("/v1/handoff/validate")
            .with("variant", variant)
            .with("contract", contract)
            .packet(packet)
            .document()
    }

    /// Returns the JSON Schema of a variant.
    pub fn schema(&self, variant: Option<&str>) -> Result<Value, Error> {
        self.get("/v1/handoff/schema").with("variant", variant).document()
    }

    /// Returns the OpenAPI document of the interface.
    pub fn openapi(&self) -> Result<Value, Error> {
        self.get("/v1/openapi.json").document()
    }

    /// Sends many requests in one. They run concurrently, and each has its own response.
    pub fn batch(&self, request: &BatchRequest) -> Result<BatchResponse, Error> {
        self.post("/v1/batch").json(request).document()
    }
}
