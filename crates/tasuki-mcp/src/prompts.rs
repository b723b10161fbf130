//! The prompts, which hosts show as commands: brief me, hand over, review.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::exchange::Refusal;
use crate::session::Session;
use crate::tools::brief;

/// The prompts.
const BRIEF_ME: &str = "brief_me";
const HAND_OVER: &str = "hand_over";
const REVIEW: &str = "review";

/// Returns every prompt.
pub(crate) fn list() -> Vec<Prompt> {
    let handoff = || argument("handoff", "The task or id of the handoff", true);
    let to = argument("to", "The party or role that continues", false);
    vec![
        prompt(BRIEF_ME, "Read what is known about a task, and continue it", vec![handoff()]),
        prompt(HAND_OVER, "Save your progress, and hand your work over", vec![to]),
        prompt(REVIEW, "Check a return against its packet, and pass or fail it", vec![handoff()]),
    ]
}

fn prompt(name: &str, description: &str, arguments: Vec<PromptArgument>) -> Prompt {
    Prompt::new(name, Some(description), Some(arguments))
}

fn argument(name: &str, description: &str, is_required: bool) -> PromptArgument {
    PromptArgument::new(name).with_description(description).with_required(is_required)
}

/// Returns a prompt with its arguments filled in.
pub(crate) async fn get(
    session: &Session,
    name: &str,
    arguments: &JsonObject,
) -> Result<GetPromptResult, ErrorData> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let handoff = || {
        let missing = || ErrorData::invalid_params("missing argument `handoff`", None);
        given("handoff").filter(|text| !text.is_empty()).ok_or_else(missing)
    };
    let text = match name {
        BRIEF_ME => brief_me(session, handoff()?).await,
        HAND_OVER => Ok(hand_over(given("to").as_deref())),
        REVIEW => review(session, handoff()?).await,
        _ => return Err(ErrorData::invalid_params(format!("unknown prompt `{name}`"), None)),
    };
    let text = text.map_err(|refusal| ErrorData::invalid_params(refusal.text(), None))?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

async fn brief_me(session: &Session, handoff: String) -> Result<String, Refusal> {
    let brief = brief::read(session, handoff).await?;
    let task = &brief.task;
    Ok(format!(
        "Continue the task `{task}`. If it is offered to you, claim it first with handoff_claim, and \
         record a checkpoint after every major step.\n\n{}",
        brief.brief
    ))
}

fn hand_over(to: Option<&str>) -> String {
    let end = match to {
        Some(to) => format!("call handoff_pass_on with `to` = `{to}`"),
        None => "call handoff_release, so that the next party can claim it".to_owned(),
    };
    format!(
        "Hand over the work that you hold. First call handoff_checkpoint with everything that the \
         next holder needs: completed steps, all remaining steps, decisions with their reasons, \
         pitfalls, and the files that matter. Write what is true, and say what you did not check. \
         Then {end}. If you hold no task, call handoff_begin first, so that your progress has one."
    )
}

async fn review(session: &Session, handoff: String) -> Result<String, Refusal> {
    let brief = brief::read(session, handoff).await?;
    let (task, id) = (&brief.task, brief.return_id.as_deref().unwrap_or_default());
    let Some(returned) = &brief.returned else {
        let message = format!("`{task}` has no return that waits for a verdict");
        return Err(Refusal::new(message, "handoff_inbox shows what waits for you"));
    };
    Ok(format!(
        "Review the return {id} of the task `{task}`. Check each acceptance criterion and required \
         field against the evidence, and look at the changed files yourself. Then call \
         handoff_verify with `pass`, or with `fail` and the reason.\n\nThe task:\n\n{}\n\nThe \
         return:\n\n{returned}",
        brief.brief
    ))
}
