//! `handoff_cancel`: withdraws a handoff of the caller.

use schemars::JsonSchema;
use serde::Deserialize;
use tasuki_api::{DecisionKind, DecisionRequest};

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Cancel;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    /// The revision that you saw; default: the current one.
    revision: Option<u32>,
    reason: String,
}

impl Tool for Cancel {
    const NAME: &'static str = "handoff_cancel";
    const DESCRIPTION: &'static str =
        "Withdraw a handoff that you sent. Its holder loses the claim.";
    const EFFECT: Effect = Effect::End;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let seen = session.card(&input.handoff).await?;
        let digest = seen.action.map_or(seen.digest, |action| action.digest);
        let body = DecisionRequest {
            reason: Some(input.reason),
            revision: input.revision.or(Some(seen.revision)),
            digest: Some(digest),
            receiver: Some(seen.to),
            ..DecisionRequest::new(DecisionKind::Cancel)
        };
        let request = ApiRequest::post("/v1/handoffs/{}/decisions", &[&input.handoff]).json(&body);
        Receipt::of(session.command(request).await?)
    }
}
