//! `handoff_release`: gives work back.

use schemars::JsonSchema;
use serde::Deserialize;
use tasuki_api::ReasonRequest;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Release;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    fence: u64,
    reason: Option<String>,
}

impl Tool for Release {
    const NAME: &'static str = "handoff_release";
    const DESCRIPTION: &'static str =
        "Give work back at once, so that another party can claim it. Checkpoint first.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let claim = session.claim_id(&input.handoff, input.fence).await?;
        let body = ReasonRequest { reason: input.reason };
        let request = ApiRequest::post("/v1/claims/{}/release", &[&claim]).json(&body);
        let response = session.command(request).await?;
        session.let_go(response.handoff.as_deref());
        Ok(Receipt::of(response)?.next("stop working on it; handoff_inbox shows other work"))
    }
}
