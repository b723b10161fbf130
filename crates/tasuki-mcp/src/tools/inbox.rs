//! `handoff_inbox`: the handoffs that wait for the caller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tasuki_api as api;

use crate::exchange::{ApiRequest, Refusal};
use crate::output::{progress, time};
use crate::session::Session;
use crate::tool::{Effect, Tool};

/// LIMIT: handoffs of one call, so that an inbox does not fill the context of a model.
const ITEMS_MAX: u32 = 20;

/// LIMIT: failures of one call.
const FAILURES_MAX: usize = 5;

pub(crate) struct Inbox;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Cursor of the next page, from the last result.
    cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    party: String,
    waiting: Vec<Item>,
    /// Handoffs that you sent and that no one will finish; a person acknowledges them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    next: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Item {
    handoff: String,
    task: String,
    state: String,
    from: String,
    to: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    goal: String,
    risk: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_at: Option<String>,
    /// Such as "2 of 5 done, last sign of life …".
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<String>,
    /// The tool to call.
    tool: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Failure {
    handoff: String,
    task: String,
    /// Such as rejected or dead.
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Tool for Inbox {
    const NAME: &'static str = "handoff_inbox";
    const DESCRIPTION: &'static str = "List the handoffs that wait for you, most urgent first, with the tool to call for each. Call it when you start.";
    const EFFECT: Effect = Effect::Read;
    type Input = Input;
    type Output = Output;

    async fn run(session: &Session, input: Input) -> Result<Output, Refusal> {
        let request = ApiRequest::get("/v1/inbox", &[])
            .with("limit", Some(ITEMS_MAX))
            .with("cursor", input.cursor);
        let inbox: api::Inbox = session.send(request).await?;
        let waiting: Vec<Item> =
            inbox.handoffs.into_iter().map(|one| item(&inbox.party, one)).collect();
        let failures = inbox.failures.into_iter().take(FAILURES_MAX).map(failure).collect();
        let next = match waiting.first() {
            Some(first) => format!("{} with handoff \"{}\"", first.tool, first.task),
            None => {
                "nothing waits; handoff_wait, or handoff_begin for a task of your own".to_owned()
            }
        };
        Ok(Output { party: inbox.party, waiting, failures, cursor: inbox.next, next })
    }
}

fn failure(failure: api::InboxFailure) -> Failure {
    let api::InboxFailure { kind, by, reason, cause, handoff, .. } = failure;
    Failure { handoff: handoff.id, task: handoff.task, kind, by, reason: reason.or(cause) }
}

fn item(own: &str, handoff: api::Handoff) -> Item {
    Item {
        tool: tool(own, &handoff),
        progress: progress(&handoff),
        handoff: handoff.id,
        task: handoff.task,
        state: handoff.state,
        from: handoff.from,
        to: handoff.to,
        goal: handoff.goal,
        risk: handoff.risk,
        due_at: handoff.due_at.map(time),
    }
}

/// Returns the tool that the caller needs next for a handoff of its inbox.
fn tool(own: &str, handoff: &api::Handoff) -> &'static str {
    let is_holder = handoff.holder.as_deref() == Some(own);
    match handoff.state.as_str() {
        "offered" if handoff.from == own && !handoff.questions.is_empty() => "handoff_answer",
        "offered" if handoff.blocked => "handoff_wait",
        "offered" => "handoff_claim",
        "claimed" if is_holder => "handoff_brief",
        "returned" => "handoff_verify",
        _ => "handoff_wait",
    }
}
