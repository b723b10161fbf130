//! `handoff_claim`: claims work under a lease.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tasuki_api::ClaimRequest;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Holding;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Claim;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Task or id; default: the most urgent for you.
    handoff: Option<String>,
    /// Such as 30m.
    lease: Option<String>,
    /// The goal in your own words, recorded.
    goal_in_my_words: Option<String>,
    first_step: Option<String>,
    /// Claiming again with the same key returns the same claim.
    key: Option<String>,
}

impl Tool for Claim {
    const NAME: &'static str = "handoff_claim";
    const DESCRIPTION: &'static str = "Claim offered work. Keep handoff and fence of the result: every later call about it needs both. A refusal with a stale fence means that another party has the work: stop.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Holding;

    async fn run(session: &Session, input: Input) -> Result<Holding, Refusal> {
        let lease = input.lease.as_deref().map(str::parse).transpose();
        let lease = lease.map_err(|error| {
            Refusal::new(format!("`lease`: {error}"), "such as 30m").with_status(422)
        })?;
        let body = ClaimRequest {
            lease,
            renewed: session.renews(),
            key: input.key,
            read_back: read_back(input.goal_in_my_words, input.first_step),
            ..ClaimRequest::default()
        };
        let request = match &input.handoff {
            Some(handoff) => ApiRequest::post("/v1/handoffs/{}/claims", &[handoff]),
            None => ApiRequest::post("/v1/claims", &[]),
        };
        let response = session.command(request.json(&body)).await?;
        session.hold(&response);
        let mut claimed = Holding::of(response, session.renews())?;
        claimed.notes.extend(session.not_here(&claimed.handoff).await);
        Ok(claimed)
    }
}

fn read_back(goal: Option<String>, first_step: Option<String>) -> Option<Map<String, Value>> {
    let members = [("goal", goal), ("first_step", first_step)];
    let given: Map<String, Value> = members
        .into_iter()
        .filter_map(|(name, text)| Some((name.to_owned(), text?.into())))
        .collect();
    (!given.is_empty()).then_some(given)
}
