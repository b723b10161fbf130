//! Decides one command: a pure function from the state and the command to a change or a refusal.

use crate::model::{Change, Context};
use crate::prepare;
use crate::refusal::Refusal;
use crate::steps::step::PreparedStep;

/// Decides one command, and adds a note about redacted secrets.
pub fn decide(context: &Context<'_>, step: &dyn PreparedStep) -> Result<Change, Refusal> {
    let mut change = step.decide(context)?;
    change.answer.notes.extend(prepare::redaction_note(step.redacted_count()));
    Ok(change)
}
