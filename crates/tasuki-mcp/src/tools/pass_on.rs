//! `handoff_pass_on`: passes claimed work on to another receiver.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tasuki_api::ContractDetails;
use tasuki_packet::Packet;
use tasuki_packet::chain::next_packet;

use crate::exchange::{ApiRequest, Refusal, Saved};
use crate::output::Receipt;
use crate::session::Session;
use crate::tool::{Effect, Tool};

pub(crate) struct PassOn;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    handoff: String,
    fence: u64,
    to: String,
    /// A new goal.
    goal: Option<String>,
    /// Packet fields that replace those of the work so far.
    packet: Option<Map<String, Value>>,
    /// Hold it until a person approves.
    #[serde(default)]
    hold: bool,
}

impl Tool for PassOn {
    const NAME: &'static str = "handoff_pass_on";
    const DESCRIPTION: &'static str = "Pass work that you hold to another party. The packet is made from yours, its checkpoints and decisions, with all obligations: checkpoint first, then pass on.";
    const EFFECT: Effect = Effect::Change;
    type Input = Input;
    type Output = Receipt;

    async fn run(session: &Session, input: Input) -> Result<Receipt, Refusal> {
        let handoff = session.card(&input.handoff).await?;
        let mut members = next_members(session, &handoff.id, handoff.contract.as_deref()).await?;
        let own = session.whoami().await?.party;
        members.insert("from_agent".to_owned(), json!(own));
        members.insert("to_agent".to_owned(), json!(input.to));
        members.extend(input.goal.map(|goal| ("goal".to_owned(), json!(goal))));
        members.extend(input.packet.unwrap_or_default());
        // A packet of another dialect may have none.
        members.entry("status").or_insert_with(|| json!("in_progress"));
        let request = ApiRequest::post("/v1/handoffs", &[])
            .with("parent", Some(&handoff.id))
            .with("fence", Some(input.fence))
            .with("hold", input.hold.then_some(true));
        let response = session.send_packet(request, &Value::Object(members)).await?;
        session.let_go(Some(&handoff));
        session.saved(Saved::PassOn, Some(&handoff), &own);
        let receipt = Receipt::of(response)?;
        let next = "stop working on it: your claim is read-only and ends when it is claimed";
        Ok(receipt.next(next))
    }
}

/// Returns the members of the packet for the next receiver.
async fn next_members(
    session: &Session,
    handoff: &str,
    contract: Option<&str>,
) -> Result<Map<String, Value>, Refusal> {
    let continuation = session.send(ApiRequest::get("/v1/tasks/{}/packet", &[handoff])).await?;
    let sent = session.send(ApiRequest::get("/v1/handoffs/{}/packet", &[handoff])).await?;
    let required = match contract {
        Some(contract) => required_returns(session, contract).await?,
        None => Vec::new(),
    };
    Ok(next_packet(&packet(continuation)?, &packet(sent)?, &required))
}

async fn required_returns(session: &Session, contract: &str) -> Result<Vec<Value>, Refusal> {
    let request = ApiRequest::get("/v1/contracts/{}", &[contract]);
    let document = session.send::<ContractDetails>(request).await?.document;
    let required = document.pointer("/returns/require").and_then(Value::as_array);
    Ok(required.cloned().unwrap_or_default())
}

fn packet(value: Value) -> Result<Packet, Refusal> {
    Packet::from_value(value).map_err(|other| {
        let message = format!("the packet of the work is not an object: {other}");
        Refusal::new(message, "the server may be of another version")
    })
}
