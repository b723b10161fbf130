//! `handoff_renew`: extends a lease.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Holding;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Renew;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    fence: u64,
    /// Such as 2h.
    lease: Option<String>,
}

impl Tool for Renew {
    const NAME: &'static str = "handoff_renew";
    const DESCRIPTION: &'static str =
        "Extend the lease without progress. Over stdio this happens by itself.";
    const EFFECT: Effect = Effect::Repeatable;
    type Input = Input;
    type Output = Holding;

    async fn run(session: &Session, input: Input) -> Result<Holding, Refusal> {
        let claim = session.claim_id(&input.handoff, input.fence).await?;
        let request = ApiRequest::post("/v1/claims/{}/renew", &[&claim])
            .json(&json!({ "lease": input.lease }));
        let mut response = session.command(request).await?;
        if response.handoff.is_none() {
            // A renewal changes the claim alone.
            response.handoff = Some(Box::new(session.card(&input.handoff).await?));
        }
        session.hold(&response);
        Holding::of(response, session.renews())
    }
}
