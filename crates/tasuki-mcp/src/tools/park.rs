//! `handoff_park`: gives work back until a time.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Park;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    fence: u64,
    /// How long, such as 2h.
    #[serde(rename = "for")]
    length: Option<String>,
    /// Or until when, as RFC 3339.
    until: Option<String>,
    reason: String,
}

impl Tool for Park {
    const NAME: &'static str = "handoff_park";
    const DESCRIPTION: &'static str = "Give work back until a time, for example when a quota resets. Checkpoint first. It uses up no attempt.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let claim = session.claim_id(&input.handoff, input.fence).await?;
        let Input { length, until, reason, .. } = input;
        let body = json!({ "for": length, "not_before": until, "reason": reason });
        let request = ApiRequest::post("/v1/claims/{}/park", &[&claim]).json(&body);
        let response = session.command(request).await?;
        session.let_go(response.handoff.as_deref());
        Ok(Receipt::of(response)?.next("stop working on it; handoff_inbox shows other work"))
    }
}
