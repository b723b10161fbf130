//! The version that a person saw when they decided, and the document of the decision.

use serde::Serialize;
use serde_json::{Value, json};
use tasuki_packet::id::{DecisionId, HandoffId};

use crate::model::{Context, Directory, Handoff, Hold, Reason, Sealed, State};
use crate::refusal::{Refusal, RefusalCode};
use crate::steps::decision::Attention;

/// The version that a person looked at.
///
/// Omitted parts are not checked. A decision that lets work go on must name the revision and the
/// digest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SeenVersion {
    /// The shown revision.
    pub revision: Option<u32>,
    /// The shown digest: the action's while it waits for approval, else the packet's.
    pub digest: Option<String>,
    /// The name of the shown receiver.
    pub receiver: Option<String>,
    /// The attention of the person.
    #[serde(flatten)]
    pub attention: Attention,
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
    let packet = &handoff.facts.summary.digest;
    let directory = &context.state.directory;
    let receiver = seen.receiver.as_deref().map(|seen| directory.find(seen)).transpose()?;
    let is_action =
        matches!(&handoff.progress.state, State::Held(hold) if hold.approval_request.is_some());
    let is_stale = |seen: &String| seen != digest && seen != packet;
    let message = match (seen.revision, &seen.digest, receiver) {
        (Some(seen), _, _) if seen != revision => {
            format!("handoff {id} changed: it is at revision {revision}, you saw revision {seen}")
        }
        (_, Some(seen), _) if is_stale(seen) && is_action => {
            format!("the action of handoff {id} changed: it is {digest}, you saw {seen}")
        }
        (_, Some(seen), _) if is_stale(seen) => {
            format!("the packet of handoff {id} changed: it is {digest}, you saw {seen}")
        }
        (_, _, Some(seen)) if seen.id != handoff.facts.receiver => {
            let now = directory.called(handoff.facts.receiver);
            format!("the receiver of handoff {id} changed: it is `{now}`, you saw `{}`", seen.name)
        }
        _ => return Ok(()),
    };
    Err(Refusal::new(RefusalCode::RevisionChanged, message)
        .hint("run `tasuki show` again, then decide"))
}

/// Checks that a decision names what the person saw, and that it is current: the revision, and the
/// digest of the packet or of the waiting action.
///
/// INVARIANT: every decision that lets work go on passes through here, so that none covers bytes
/// that the person has not seen.
pub(super) fn require(
    context: &Context<'_>,
    handoff: &Handoff,
    seen: &SeenVersion,
) -> Result<(), Refusal> {
    check(context, handoff, seen)?;
    let digest = shown_digest(handoff);
    if seen.revision.is_some() && seen.digest.as_deref() == Some(digest) {
        return Ok(());
    }
    let is_action = digest != handoff.facts.summary.digest;
    let parts = if is_action {
        "the revision and the action's digest"
    } else {
        "the revision and the digest"
    };
    Err(missing(handoff.id, parts))
}

/// Returns the refusal of a decision that does not name what was seen.
pub(crate) fn missing(handoff: HandoffId, parts: &str) -> Refusal {
    let message = format!("the decision does not name {parts} that you saw");
    Refusal::new(RefusalCode::RevisionMissing, message)
        .hint(format!("run `tasuki show {handoff}` and pass the reference that it prints"))
}

/// Requires the version for a decision that releases work to its receiver. A caller that names no
/// receiver may have looked before a reroute.
pub(super) fn require_with_receiver(
    context: &Context<'_>,
    handoff: &Handoff,
    seen: &SeenVersion,
) -> Result<(), Refusal> {
    require(context, handoff, seen)?;
    let facts = &handoff.facts;
    if seen.receiver.is_some() || facts.routed_in != facts.revision {
        return Ok(());
    }
    let now = context.state.directory.called(facts.receiver);
    let message =
        format!("handoff {} was rerouted to `{now}` after revision {}", handoff.id, facts.revision);
    Err(Refusal::new(RefusalCode::RevisionChanged, message)
        .hint("run `tasuki show` again and pass the reference that it prints; over HTTP name the receiver too"))
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
    seen.attention.record(&mut document);
    for (name, value) in more {
        document[*name] = value.clone();
    }
    (context.seed.id("decision", context.now), reason.sealed(context, document))
}
