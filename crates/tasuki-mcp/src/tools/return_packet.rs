//! `handoff_return`: returns the result of a task.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Return;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    fence: u64,
    /// completed, blocked or failed; default completed.
    status: Option<String>,
    summary: String,
    #[serde(default)]
    changed_paths: Vec<String>,
    /// One entry per acceptance criterion: {criterion, result, evidence}.
    #[serde(default)]
    verification: Vec<Map<String, Value>>,
    /// Other fields that the packet requires in return.
    packet: Option<Map<String, Value>>,
}

impl Tool for Return {
    const NAME: &'static str = "handoff_return";
    const DESCRIPTION: &'static str = "Return the result with evidence. A return that lacks what the packet requires is refused with a list; you keep the claim.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let status = input.status.as_deref().unwrap_or("completed");
        let mut packet = json!({
            "handoff_version": "1.0",
            "packet_type": "return",
            "status": status,
            "summary": input.summary,
        });
        if !input.changed_paths.is_empty() {
            packet["changed_paths"] = json!(input.changed_paths);
        }
        if !input.verification.is_empty() {
            packet["verification"] = json!(input.verification);
        }
        if let Value::Object(packet) = &mut packet {
            packet.extend(input.packet.unwrap_or_default());
        }
        let request = ApiRequest::post("/v1/handoffs/{}/returns", &[&input.handoff])
            .with("fence", Some(input.fence));
        let response = session.send_packet(request, &packet).await?;
        session.let_go(response.handoff.as_deref());
        let receipt = Receipt::of(response)?;
        let next = match receipt.state.as_str() {
            "returned" => {
                "it waits for verification; handoff_wait until \"done\", or handoff_inbox"
            }
            _ => "handoff_inbox shows other work",
        };
        Ok(receipt.next(next))
    }
}
