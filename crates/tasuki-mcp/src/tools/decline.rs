//! `handoff_decline`: refuses offered work.

use schemars::JsonSchema;
use serde::Deserialize;
use tasuki_api::ReasonRequest;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Decline;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    reason: String,
}

impl Tool for Decline {
    const NAME: &'static str = "handoff_decline";
    const DESCRIPTION: &'static str =
        "Refuse offered work that you cannot do. It goes to the next receiver of its fallback.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let body = ReasonRequest { reason: Some(input.reason) };
        let request = ApiRequest::post("/v1/handoffs/{}/declines", &[&input.handoff]).json(&body);
        let receipt = Receipt::of(session.command(request).await?)?;
        Ok(receipt.next("handoff_inbox shows other work"))
    }
}
