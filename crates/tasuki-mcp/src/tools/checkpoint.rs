//! `handoff_checkpoint`: records progress.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tasuki_api::HandoffDetails;

use crate::exchange::{ApiRequest, Refusal, Saved};
use crate::output::Holding;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct Checkpoint;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    fence: u64,
    /// Steps done since the last checkpoint.
    #[serde(default)]
    completed: Vec<String>,
    /// Numbers of steps of the brief that are done.
    #[serde(default)]
    done: Vec<u32>,
    /// All steps that remain.
    #[serde(default)]
    remaining: Vec<String>,
    #[serde(default)]
    decisions: Vec<String>,
    #[serde(default)]
    pitfalls: Vec<String>,
    /// From 0 to 1.
    confidence: Option<f64>,
    /// The party that continues if you stop.
    to: Option<String>,
    /// Other packet fields, such as `failed_approaches`.
    packet: Option<Map<String, Value>>,
}

impl Tool for Checkpoint {
    const NAME: &'static str = "handoff_checkpoint";
    const DESCRIPTION: &'static str = "Record progress after every major step and before your context ends. It renews the lease, and the next holder continues from it.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Holding;

    async fn run(session: &Session, input: Input) -> Result<Holding, Refusal> {
        let (handoff, fence) = (input.handoff.clone(), input.fence);
        let mut input = input;
        input.completed.extend(numbered(session, &handoff, &input.done).await?);
        let request =
            ApiRequest::post("/v1/handoffs/{}/checkpoints", &[&handoff]).with("fence", Some(fence));
        let response = session.send_packet(request, &packet(input)?).await?;
        session.hold(&response);
        let holder = response.claim.as_ref().map(|claim| claim.holder.clone()).unwrap_or_default();
        session.saved(Saved::Checkpoint, response.handoff.as_deref(), &holder);
        Holding::of(response, session.renews())
    }
}

/// Returns the texts of the steps with these numbers.
async fn numbered(
    session: &Session,
    handoff: &str,
    numbers: &[u32],
) -> Result<Vec<String>, Refusal> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let request = ApiRequest::get("/v1/handoffs/{}", &[handoff]);
    let details: HandoffDetails = session.send(request).await?;
    let left = details.progress.unwrap_or_default().left;
    let text = |number: &u32| {
        let step = left.iter().find(|step| step.number == *number);
        step.map(|step| step.text.clone()).ok_or_else(|| {
            let numbers: Vec<String> = left.iter().map(|step| step.number.to_string()).collect();
            let hint = format!("left are {}; handoff_brief shows them", numbers.join(", "));
            Refusal::new(format!("no step {number} is left"), hint).with_status(422)
        })
    };
    numbers.iter().map(text).collect()
}

fn packet(input: Input) -> Result<Value, Refusal> {
    let mut members = Map::new();
    let lists = [
        ("completed", input.completed),
        ("remaining", input.remaining),
        ("decisions", input.decisions),
        ("pitfalls_hit", input.pitfalls),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        members.insert(name.to_owned(), json!(list));
    }
    members.extend(input.confidence.map(|value| ("confidence".to_owned(), json!(value))));
    members.extend(input.to.map(|party| ("to_agent".to_owned(), json!(party))));
    members.extend(input.packet.unwrap_or_default());
    if members.is_empty() {
        return Err(Refusal::new(
            "the checkpoint is empty",
            "give at least completed, done or remaining",
        ));
    }
    let mut packet = json!({ "handoff_version": "1.0", "packet_type": "checkpoint" });
    if let Value::Object(packet) = &mut packet {
        packet.extend(members);
    }
    Ok(packet)
}
