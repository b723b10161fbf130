//! `handoff_request_approval`: asks a person to approve an action.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct RequestApproval;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    fence: u64,
    /// The exact action, such as a command.
    action: String,
    /// Its exact parameters.
    details: Option<Map<String, Value>>,
    /// The person or role to ask.
    to: Option<String>,
}

impl Tool for RequestApproval {
    const NAME: &'static str = "handoff_request_approval";
    const DESCRIPTION: &'static str = "Ask a person to approve one exact action before you run it. You keep the claim, and its lease is paused. The approval covers this action once.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let claim = session.claim_id(&input.handoff, input.fence).await?;
        let mut action = Map::new();
        action.insert("action".to_owned(), input.action.into());
        action.extend(input.details.unwrap_or_default());
        let body = json!({ "action": action, "to": input.to });
        let request = ApiRequest::post("/v1/claims/{}/request-approval", &[&claim]).json(&body);
        let receipt = Receipt::of(session.command(request).await?)?;
        Ok(receipt.next("handoff_wait until \"decided\", then handoff_brief shows the decision; run the action only if it was approved"))
    }
}
