//! What the person saw when they decided, and the document of the decision.

use serde_json::{Value, json};
use tasuki_packet::id::DecisionId;

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
    let (revision, digest) = (handoff.facts.revision, shown_digest(handoff));
    let is_other = looked.revision.is_some_and(|seen| seen != revision)
        || looked.digest.as_ref().is_some_and(|seen| seen != digest);
    if !is_other {
        return Ok(());
    }
    let message = format!("handoff {} is at revision {revision}, {digest} by now", handoff.id);
    Err(Refusal::new(RefusalCode::RevisionChanged, message).hint("look at it again, then decide"))
}

/// The digest that a decision is bound to.
fn shown_digest(handoff: &Handoff) -> &str {
    match &handoff.progress.state {
        State::Held(Hold { asked_by: Some(asked), .. }) => &asked.digest,
        _ => &handoff.facts.sheet.digest,
    }
}

/// The id and the sealed document of a decision.
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
    if !looked.opened.is_empty() {
        document["opened"] = json!(looked.opened);
    }
    for (name, value) in more {
        document[*name] = value.clone();
    }
    (context.draw.id("decision", context.now), reason.sealed(context, document))
}
