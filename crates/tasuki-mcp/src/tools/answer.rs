//! `handoff_answer`: answers a question of the receiver.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Answer;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    answer: String,
    /// qst_ id, if several are open.
    question: Option<String>,
}

impl Tool for Answer {
    const NAME: &'static str = "handoff_answer";
    const DESCRIPTION: &'static str = "Answer a question about a handoff that you sent. The answer becomes part of the packet as a new revision.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let body = json!({ "answer": input.answer, "question": input.question });
        let request = ApiRequest::post("/v1/handoffs/{}/answers", &[&input.handoff]).json(&body);
        Receipt::of(session.command(request).await?)
    }
}
