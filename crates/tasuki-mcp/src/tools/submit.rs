//! `handoff_submit`: hands work to a receiver.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::exchange::{ApiRequest, Refusal};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Submit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// A party, or a role such as role:reviewer.
    to: String,
    goal: String,
    /// A name for the task, such as build-42.
    task: Option<String>,
    #[serde(default)]
    completed: Vec<String>,
    #[serde(default)]
    remaining: Vec<String>,
    /// Other packet fields, such as constraints, acceptance, `return_required`, inputs, confidence.
    packet: Option<Map<String, Value>>,
    /// Hold it until a person approves.
    #[serde(default)]
    hold: bool,
    /// The open handoff of the same task that this replaces.
    supersedes: Option<String>,
}

impl Tool for Submit {
    const NAME: &'static str = "handoff_submit";
    const DESCRIPTION: &'static str = "Hand new work to an agent, a person or a role. Work that you hold goes on with handoff_pass_on. Repeating the same packet changes nothing.";
    const EFFECT: Effect = Effect::Repeatable;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let mut members = json!({
            "to_agent": input.to,
            "goal": input.goal,
            "completed": input.completed,
            "remaining": input.remaining,
        });
        if let Some(task) = input.task {
            members["task_id"] = json!(task);
        }
        let request = ApiRequest::post("/v1/handoffs", &[])
            .with("hold", input.hold.then_some(true))
            .with("supersedes", input.supersedes);
        Receipt::of(session.send_packet(request, &packet(members, input.packet)).await?)
    }
}

/// Returns a packet with these members. Fields that the caller gives replace them.
pub(crate) fn packet(members: Value, given: Option<Map<String, Value>>) -> Value {
    let mut packet = json!({ "handoff_version": "1.0", "status": "in_progress" });
    if let (Value::Object(packet), Value::Object(members)) = (&mut packet, members) {
        packet.extend(members);
        // A list that the caller left out says nothing, and an empty one says that there is nothing.
        packet.retain(|_, value| value != &json!([]));
        packet.extend(given.unwrap_or_default());
    }
    packet
}
