//! The results of tools. Each has at most 12 members, and says what to do next.
//!
//! They are made by hand from the bodies of the HTTP interface, which have far more members than a
//! model needs.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use tasuki_api::{Claim, CommandResponse, Handoff};

use crate::exchange::Refusal;

/// A handoff after a command.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Receipt {
    pub(crate) handoff: String,
    pub(crate) task: String,
    pub(crate) state: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) revision: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) holder: Option<String>,
    /// Such as "2 of 5 done, last sign of life …".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<String>,
    /// The id of the document that the command stored, such as a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) document: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    pub(crate) next: String,
}

/// A claim that the caller holds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Holding {
    pub(crate) handoff: String,
    pub(crate) task: String,
    pub(crate) state: String,
    pub(crate) fence: u64,
    pub(crate) lease_until: String,
    pub(crate) checkpoints: u32,
    /// Such as "2 of 5 done".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) authority: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    pub(crate) next: String,
}

impl Receipt {
    /// Returns the handoff of a response, with the next step of its sender or of no party in particular.
    pub(crate) fn of(response: CommandResponse) -> Result<Self, Refusal> {
        let notes = notes(&response);
        let handoff = response.handoff.ok_or_else(no_handoff)?;
        Ok(Self { document: response.document, notes, ..Self::of_card(*handoff) })
    }

    /// Returns a handoff as it is now.
    pub(crate) fn of_card(handoff: Handoff) -> Self {
        Self {
            next: next(&handoff),
            progress: progress(&handoff),
            handoff: handoff.id,
            task: handoff.task,
            state: handoff.state,
            from: handoff.from,
            to: handoff.to,
            revision: handoff.revision,
            holder: handoff.holder,
            document: None,
            notes: Vec::new(),
        }
    }

    /// Replaces the next step.
    pub(crate) fn next(self, next: impl Into<String>) -> Self {
        Self { next: next.into(), ..self }
    }
}

impl Holding {
    /// Returns the claim of a response. `renews` says who renews its lease.
    pub(crate) fn of(response: CommandResponse, renews: bool) -> Result<Self, Refusal> {
        let mut notes = notes(&response);
        let handoff = response.handoff.ok_or_else(no_handoff)?;
        let Some(claim) = response.claim else {
            // A halt ends the claim with the checkpoint.
            return Err(Refusal::new(
                format!("saved, but your claim on {} has ended", handoff.task),
                "stop, and look at handoff_inbox",
            )
            .with_status(409));
        };
        let lease = &claim.lease;
        if renews {
            notes.push(format!("the lease of {lease} is renewed while this connection lives"));
        }
        Ok(Self {
            next: next_of_holder(&handoff, &claim, renews),
            progress: done(&handoff),
            handoff: claim.handoff,
            task: handoff.task,
            state: handoff.state,
            fence: claim.fence,
            lease_until: time(claim.until),
            checkpoints: handoff.checkpoints,
            authority: claim.authority,
            notes,
        })
    }
}

fn notes(response: &CommandResponse) -> Vec<String> {
    let mut notes = response.notes.clone();
    if response.repeated {
        notes.push("this had already been done; nothing changed".to_owned());
    }
    if !response.registered.is_empty() {
        notes.push(format!("new parties: {}", response.registered.join(", ")));
    }
    notes
}

/// Returns the steps that are done and the last sign of life, once a party works on a handoff.
pub(crate) fn progress(handoff: &Handoff) -> Option<String> {
    let is_begun = handoff.checkpoints > 0 || handoff.holder.is_some();
    let alive = handoff.alive_at.map(|at| format!("last sign of life {}", time(at)));
    let parts: Vec<String> = done(handoff).into_iter().chain(alive).collect();
    (is_begun && !parts.is_empty()).then(|| parts.join(", "))
}

/// Returns the steps that are done: `2 of 5 done`.
fn done(handoff: &Handoff) -> Option<String> {
    let steps = handoff.steps?;
    Some(format!("{} of {} done", steps.done, steps.done.saturating_add(steps.left)))
}

fn no_handoff() -> Refusal {
    Refusal::new("the response has no handoff", "the server may be of another version")
}

/// Returns an instant as the HTTP interface writes it.
pub(crate) fn time(instant: Timestamp) -> String {
    format!("{instant:.6}")
}

/// Returns the next step for a handoff, by the party whose turn it is.
pub(crate) fn next(handoff: &Handoff) -> String {
    let Handoff { to, from, .. } = handoff;
    match handoff.state.as_str() {
        "held" => format!("a person decides first; handoff_wait {}", until("decided")),
        "offered" if handoff.blocked => format!("{from} answers a question with handoff_answer"),
        "offered" => format!("{to} claims it; handoff_wait {} for the result", until("returned")),
        "claimed" => {
            let holder = handoff.holder.as_deref().unwrap_or(to);
            format!("{holder} works on it; handoff_wait {} for the result", until("returned"))
        }
        "returned" => "handoff_brief shows the return; its judge calls handoff_verify".to_owned(),
        "dead" => "a person must redrive or discard it".to_owned(),
        _ => "nothing; handoff_inbox shows other work".to_owned(),
    }
}

fn until(word: &str) -> String {
    format!("until \"{word}\"")
}

fn next_of_holder(handoff: &Handoff, claim: &Claim, renews: bool) -> String {
    let fence = claim.fence;
    let first = if handoff.checkpoints == 0 { "handoff_brief, then work; " } else { "" };
    let renew = if renews { "" } else { ", handoff_renew before the lease ends" };
    format!(
        "{first}handoff_checkpoint after every major step{renew}, handoff_return when done, each with fence {fence}"
    )
}
