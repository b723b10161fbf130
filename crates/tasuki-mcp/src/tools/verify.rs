//! `handoff_verify`: passes or fails a return.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Verify;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    /// The return that you checked, from `handoff_brief`.
    return_id: String,
    /// pass or fail.
    result: String,
    /// Required to fail.
    reason: Option<String>,
}

impl Tool for Verify {
    const NAME: &'static str = "handoff_verify";
    const DESCRIPTION: &'static str = "Pass or fail a return that waits for your verdict, after you checked it against the packet with handoff_brief. A failed return goes back for rework.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let body = json!({
            "result": input.result,
            "return": input.return_id,
            "reason": input.reason,
        });
        let request = ApiRequest::post("/v1/handoffs/{}/verdicts", &[&input.handoff]).json(&body);
        Receipt::of(session.command(request).await?)
    }
}
