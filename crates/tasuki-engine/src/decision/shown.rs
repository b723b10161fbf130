//! What the person saw when they decided, and the document of the decision.

use serde_json::{Value, json};
use tasuki_packet::gate::Opened;
use tasuki_packet::id::{DecisionId, PartyId};

use crate::context::Context;
use crate::document::Sealed;
use crate::handoff::{Handoff, Hold, State};
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};

/// What the person looked at. What they do not say is not checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Looked {
    /// The revision that was shown.
    pub revision: Option<u32>,
    /// The digest that was shown: the packet's, or the action's while its holder asks leave.
    pub digest: Option<String>,
    /// The receiver that was shown.
    pub receiver: Option<PartyId>,
    /// How many seconds the person looked.
    pub seconds: Option<u64>,
    /// What was opened: `packet`, `evidence`.
    pub opened: Vec<String>,
}

impl Looked {
    /// What somebody sees who looks at the handoff now.
    pub fn at(handoff: &Handoff) -> Self {
        Self {
            revision: Some(handoff.facts.revision),
            digest: Some(shown_digest(handoff).to_owned()),
            ..Self::default()
        }
    }
}

/// Whether the handoff is still what the person saw.
pub fn check(handoff: &Handoff, looked: &Looked) -> Result<(), Refusal> {
    let (id, revision, digest) = (handoff.id, handoff.facts.revision, shown_digest(handoff));
    let is_action = matches!(&handoff.progress.state, State::Held(hold) if hold.asked_by.is_some());
    let message = match (looked.revision, &looked.digest, looked.receiver) {
        (Some(seen), _, _) if seen != revision => {
            format!("handoff {id} is at revision {revision} by now, you saw revision {seen}")
        }
        (_, Some(seen), _) if seen != digest && is_action => {
            format!("the action that handoff {id} waits for is {digest} by now, you saw {seen}")
        }
        (_, Some(seen), _) if seen != digest => {
            format!("the packet of handoff {id} is {digest} by now, you saw {seen}")
        }
        (_, _, Some(seen)) if seen != handoff.facts.receiver => {
            format!("handoff {id} goes to another receiver by now than the one you saw")
        }
        _ => return Ok(()),
    };
    Err(Refusal::new(RefusalCode::RevisionChanged, message).hint("look at it again, then decide"))
}

/// The digest that a decision is bound to.
pub(crate) fn shown_digest(handoff: &Handoff) -> &str {
    match &handoff.progress.state {
        State::Held(Hold { asked_by: Some(asked), .. }) => &asked.digest,
        _ => &handoff.facts.sheet.digest,
    }
}

/// The id and the sealed document of a decision.
#[expect(clippy::too_many_arguments, reason = "a decision, and everything that it names")]
pub fn document(
    context: &Context<'_>,
    handoff: &Handoff,
    decision: &str,
    looked: &Looked,
    reason: &Reason,
    more: &[(&str, Value)],
) -> (DecisionId, Sealed) {
    let mut document = json!({
        "packet_type": "decision",
        "decision": decision,
        "revision": handoff.facts.revision,
        "digest": shown_digest(handoff),
    });
    if let Some(seconds) = looked.seconds {
        document["seconds"] = json!(seconds);
    }
    // Only what a gate can ask for: a door's own words are not scanned for secrets.
    let opened: Vec<&str> = looked
        .opened
        .iter()
        .filter_map(|part| Some(part.parse::<Opened>().ok()?.as_str()))
        .collect();
    if !opened.is_empty() {
        document["opened"] = json!(opened);
    }
    for (name, value) in more {
        document[*name] = value.clone();
    }
    (context.draw.id("decision", context.now), reason.sealed(context, document))
}
