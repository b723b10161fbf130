//! `handoff_ask`: asks the sender a question.

use schemars::JsonSchema;
use serde::Deserialize;
use tasuki_api::QuestionRequest;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Ask;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    question: String,
    /// The packet field it is about.
    field: Option<String>,
    /// Prevent claims until it is answered.
    #[serde(default)]
    blocking: bool,
}

impl Tool for Ask {
    const NAME: &'static str = "handoff_ask";
    const DESCRIPTION: &'static str = "Ask the sender about an unclear packet before you claim it.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let Input { handoff, question, field, blocking } = input;
        let body = QuestionRequest { question, field, blocking };
        let request = ApiRequest::post("/v1/handoffs/{}/questions", &[&handoff]).json(&body);
        let receipt = Receipt::of(session.command(request).await?)?;
        let next = format!("{} answers; handoff_wait, then handoff_claim", receipt.from);
        Ok(receipt.next(next))
    }
}
