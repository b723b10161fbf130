//! What the person saw when they decided, and the document of the decision.

use serde::Serialize;
use serde_json::{Value, json};
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::policy::gate::Opened;

use crate::model::{Context, Directory, Handoff, Hold, Reason, Sealed, State};
use crate::refusal::{Refusal, RefusalCode};

/// How many digits of a digest tell what was seen: with fewer, a holder finds a second action for them by
/// trying.
pub const DIGITS_MIN: usize = 16;

/// What the person looked at. What they do not say is not checked, but whoever names anything while a
/// holder asks leave names the action: it can be another one in the same revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SeenVersion {
    /// The revision that was shown.
    pub revision: Option<u32>,
    /// The digest that was shown: the packet's, or the action's while its holder asks leave. Its first
    /// digits are enough, at least [`DIGITS_MIN`].
    pub digest: Option<String>,
    /// The receiver that was shown, by name.
    pub receiver: Option<String>,
    /// How many seconds the person looked.
    pub seconds: Option<u64>,
    /// What was opened: `packet`, `evidence`.
    pub opened: Vec<String>,
}

impl SeenVersion {
    /// What somebody sees who looks at the handoff now.
    pub fn at(directory: &Directory, handoff: &Handoff) -> Self {
        Self {
            revision: Some(handoff.facts.revision),
            digest: Some(shown_digest(handoff).to_owned()),
            receiver: Some(directory.name(handoff.facts.receiver)),
            ..Self::default()
        }
    }
}

/// Whether the handoff is still what the person saw.
///
/// # Errors
///
/// If it has another revision, digest or receiver by now.
pub fn check(context: &Context<'_>, handoff: &Handoff, seen: &SeenVersion) -> Result<(), Refusal> {
    let (id, revision, digest) = (handoff.id, handoff.facts.revision, shown_digest(handoff));
    let directory = &context.state.directory;
    let receiver = seen.receiver.as_deref().map(|seen| directory.find(seen)).transpose()?;
    let is_action =
        matches!(&handoff.progress.state, State::Held(hold) if hold.approval_request.is_some());
    let names_digest = |seen: &String| is_digest(seen, digest);
    let message = match (seen.revision, &seen.digest, receiver) {
        (Some(seen), _, _) if seen != revision => {
            format!("handoff {id} is at revision {revision} by now, you saw revision {seen}")
        }
        (_, Some(seen), _) if !names_digest(seen) && is_action => {
            format!("the action that handoff {id} waits for is {digest} by now, you saw {seen}")
        }
        (_, Some(seen), _) if !names_digest(seen) => {
            format!("the packet of handoff {id} is {digest} by now, you saw {seen}")
        }
        (_, _, Some(seen)) if seen.id != handoff.facts.receiver => {
            let now = directory.called(handoff.facts.receiver);
            format!("handoff {id} is for `{now}` by now, you saw `{}`", seen.name)
        }
        (Some(_), None, _) | (_, None, Some(_)) if is_action => return Err(unnamed_action(id)),
        _ => return Ok(()),
    };
    Err(Refusal::new(RefusalCode::RevisionChanged, message).hint("look at it again, then decide"))
}

/// Whether somebody who saw this saw that digest: the whole of it, or enough of its first digits.
pub fn is_digest(seen: &str, digest: &str) -> bool {
    let hex = |text| str::strip_prefix(text, "sha256:").unwrap_or(text);
    hex(seen).len() >= DIGITS_MIN && hex(digest).starts_with(hex(seen))
}

/// To whoever names a revision or a receiver, and not the action that waits.
pub fn unnamed_action(handoff: HandoffId) -> Refusal {
    let message =
        format!("the holder of handoff {handoff} asks leave for an action, and you name none");
    Refusal::new(RefusalCode::RevisionChanged, message)
        .hint("look at it again, then name its digest too, as `tasuki show` proposes")
}

/// The same for what lets work go to its receiver. Who names a revision and no receiver may have
/// looked before it came to this one.
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
    let message = format!(
        "handoff {} came to `{now}` after revision {} was written",
        handoff.id, facts.revision
    );
    Err(Refusal::new(RefusalCode::RevisionChanged, message).hint(
        "look at it again, then decide without naming the revision, or name the receiver too",
    ))
}

/// The digest that a decision is bound to.
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

/// The id and the sealed document of a decision.
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
    // Only what a gate can ask for: a door's own words are not scanned for secrets.
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
