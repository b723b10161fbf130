//! The version that a person saw when they decided, and the document of the decision.

use serde::Serialize;
use serde_json::{Value, json};
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::policy::gate::Opened;

pub use crate::limits::DIGITS_MIN;
use crate::model::{Context, Directory, Handoff, Hold, Reason, Sealed, State};
use crate::refusal::{Refusal, RefusalCode};

/// The version that a person looked at.
///
/// Omitted parts are not checked. But while an action waits for approval, a caller that names any
/// part must name the action's digest: the action can change within a revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SeenVersion {
    /// The shown revision.
    pub revision: Option<u32>,
    /// The shown digest: the action's while it waits for approval, else the packet's. A prefix of
    /// at least [`DIGITS_MIN`] digits is enough.
    pub digest: Option<String>,
    /// The name of the shown receiver.
    pub receiver: Option<String>,
    /// The time the person looked, in seconds.
    pub seconds: Option<u64>,
    /// The opened parts: `packet`, `evidence`.
    pub opened: Vec<String>,
}

impl SeenVersion {
    /// Returns the current version of a handoff.
    pub fn at(directory: &Directory, handoff: &Handoff) -> Self {
        Self {
            revision: Some(handoff.facts.revision),
            digest: Some(shown_digest(handoff).to_owned()),
            receiver: Some(directory.name(handoff.facts.receiver)),
            ..Self::default()
        }
    }
}

/// Checks that the handoff is still the version that the person saw.
///
/// # Errors
///
/// If its revision, digest or receiver has changed.
pub fn check(context: &Context<'_>, handoff: &Handoff, seen: &SeenVersion) -> Result<(), Refusal> {
    let (id, revision, digest) = (handoff.id, handoff.facts.revision, shown_digest(handoff));
    let directory = &context.state.directory;
    let receiver = seen.receiver.as_deref().map(|seen| directory.find(seen)).transpose()?;
    let is_action =
        matches!(&handoff.progress.state, State::Held(hold) if hold.approval_request.is_some());
    let names_digest = |seen: &String| is_digest(seen, digest);
    let message = match (seen.revision, &seen.digest, receiver) {
        (Some(seen), _, _) if seen != revision => {
            format!("handoff {id} changed: it is at revision {revision}, you saw revision {seen}")
        }
        (_, Some(seen), _) if !names_digest(seen) && is_action => {
            format!("the action of handoff {id} changed: it is {digest}, you saw {seen}")
        }
        (_, Some(seen), _) if !names_digest(seen) => {
            format!("the packet of handoff {id} changed: it is {digest}, you saw {seen}")
        }
        (_, _, Some(seen)) if seen.id != handoff.facts.receiver => {
            let now = directory.called(handoff.facts.receiver);
            format!("the receiver of handoff {id} changed: it is `{now}`, you saw `{}`", seen.name)
        }
        (Some(_), None, _) | (_, None, Some(_)) if is_action => return Err(unnamed_action(id)),
        _ => return Ok(()),
    };
    Err(Refusal::new(RefusalCode::RevisionChanged, message)
        .hint("run `tasuki show` again, then decide"))
}

/// Returns `true` if the seen digest is this one, or a long enough prefix of it.
pub fn is_digest(seen: &str, digest: &str) -> bool {
    let hex = |text| str::strip_prefix(text, "sha256:").unwrap_or(text);
    hex(seen).len() >= DIGITS_MIN && hex(digest).starts_with(hex(seen))
}

/// Returns the refusal for a caller that does not name the waiting action.
pub fn unnamed_action(handoff: HandoffId) -> Refusal {
    let message =
        format!("handoff {handoff} waits for approval of an action; its digest is required");
    Refusal::new(RefusalCode::RevisionChanged, message)
        .hint("run `tasuki show` again and pass the digest that it prints")
}

/// Checks the version for a decision that releases work to its receiver. A caller that names a
/// revision without a receiver may have looked before a reroute.
pub(super) fn check_with_receiver(
    context: &Context<'_>,
    handoff: &Handoff,
    seen: &SeenVersion,
) -> Result<(), Refusal> {
    check(context, handoff, seen)?;
    let facts = &handoff.facts;
    let names_revision = seen.revision.is_some() || seen.digest.is_some();
    if seen.receiver.is_some() || !names_revision || facts.routed_in != facts.revision {
        return Ok(());
    }
    let now = context.state.directory.called(facts.receiver);
    let message =
        format!("handoff {} was rerouted to `{now}` after revision {}", handoff.id, facts.revision);
    Err(Refusal::new(RefusalCode::RevisionChanged, message)
        .hint("run `tasuki show` again, then decide without a revision, or name the receiver too"))
}

/// Returns the digest that a decision is bound to.
pub(crate) fn shown_digest(handoff: &Handoff) -> &str {
    match &handoff.progress.state {
        State::Held(Hold { approval_request: Some(asked), .. }) => &asked.digest,
        State::Held(_)
        | State::Offered(_)
        | State::Claimed(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => &handoff.facts.summary.digest,
    }
}

/// Returns the id and the sealed document of a decision.
#[expect(clippy::too_many_arguments, reason = "a decision, and everything that it names")]
pub fn document(
    context: &Context<'_>,
    handoff: &Handoff,
    decision: &str,
    seen: &SeenVersion,
    reason: &Reason,
    more: &[(&str, Value)],
) -> (DecisionId, Sealed) {
    let mut document = json!({
        "packet_type": "decision",
        "decision": decision,
        "revision": handoff.facts.revision,
        "digest": shown_digest(handoff),
    });
    if let Some(seconds) = seen.seconds {
        document["seconds"] = json!(seconds);
    }
    // Other parts could contain secrets, because they are not scanned.
    let opened: Vec<&str> =
        seen.opened.iter().filter_map(|part| Some(part.parse::<Opened>().ok()?.as_str())).collect();
    if !opened.is_empty() {
        document["opened"] = json!(opened);
    }
    for (name, value) in more {
        document[*name] = value.clone();
    }
    (context.seed.id("decision", context.now), reason.sealed(context, document))
}
