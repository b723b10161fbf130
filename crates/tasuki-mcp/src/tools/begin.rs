//! `handoff_begin`: starts a task of the caller's own.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Holding;
use crate::session::Session;
use crate::tool::{Effect, Tool};
use crate::tools::submit::packet;

pub(crate) struct Begin;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    goal: String,
    /// A name for the task, such as build-42.
    task: Option<String>,
    /// Steps that remain.
    #[serde(default)]
    remaining: Vec<String>,
    /// Other packet fields.
    packet: Option<Map<String, Value>>,
    /// Such as 30m.
    lease: Option<String>,
    /// Beginning again with the same key returns the same claim.
    key: Option<String>,
}

impl Tool for Begin {
    const NAME: &'static str = "handoff_begin";
    const DESCRIPTION: &'static str = "Start a task of your own and hold it at once, so that your checkpoints survive you. If you stop, it is offered from the last checkpoint.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Holding;

    async fn run(session: &Session, input: Input) -> Result<Holding, Refusal> {
        let own = session.whoami().await?.party;
        let mut members = json!({ "from_agent": own, "to_agent": own, "goal": input.goal });
        if let Some(task) = input.task {
            members["task_id"] = json!(task);
        }
        members["remaining"] = json!(input.remaining);
        let request = ApiRequest::post("/v1/tasks", &[])
            .with("lease", input.lease)
            .with("renewed", session.renews().then_some(true))
            .with("key", input.key);
        let response = session.send_packet(request, &packet(members, input.packet)).await?;
        session.hold(&response);
        Holding::of(response, session.renews())
    }
}
