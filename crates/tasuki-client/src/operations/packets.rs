//! What can be said of packets without handing them over, and many requests in one.

use serde_json::{Value, json};

use crate::client::Client;
use crate::error::Error;
use crate::gives::Validated;

impl Client {
    /// Checks a packet against a variant and a contract of the project, and stores nothing.
    pub fn validate(
        &self,
        packet: &[u8],
        variant: Option<&str>,
        contract: Option<&str>,
    ) -> Result<Validated, Error> {
        self.post("/v1/handoff/validate")
            .with("variant", variant)
            .with("contract", contract)
            .packet(packet)
            .document()
    }

    /// The JSON Schema of a variant.
    pub fn schema(&self, variant: Option<&str>) -> Result<Value, Error> {
        self.get("/v1/handoff/schema").with("variant", variant).document()
    }

    /// The description of the whole interface.
    pub fn openapi(&self) -> Result<Value, Error> {
        self.get("/v1/openapi.json").document()
    }

    /// Many requests in one, each with an answer of its own, as the description has them.
    pub fn batch(&self, requests: &[Value]) -> Result<Vec<Value>, Error> {
        let mut answers: Value =
            self.post("/v1/batch").json(&json!({ "requests": requests })).document()?;
        Ok(answers["answers"].as_array_mut().map(std::mem::take).unwrap_or_default())
    }
}
