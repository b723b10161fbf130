//! A person edits a held packet, or the action that its holder wants approved.

use serde::Serialize;
use serde_json::{Value, json};
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::leaf::EventType;

use crate::model::{
    ApprovalRequest, Change, Context, DocumentKind, Handoff, Hold, Reason, Scope, Sealed, State,
};
use crate::prepare::input::PrepareInput;
use crate::prepare::packet::{Incoming, action, prepare_packet};
use crate::prepare::parties::current;
use crate::prepare::{PreparedPacket, text};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, deciders, deputies, review};
use crate::steps::revise::{apply_revision, revisable, revised};
use crate::steps::step::{PreparedStep, source_digest};
use crate::steps::{Reads, SeenVersion, Step, decision};

/// Edits a packet, or an action that waits for approval.
#[derive(Debug, Clone, Serialize)]
pub struct Edit {
    /// The handoff.
    pub handoff: HandoffId,
    /// The packet in any form, or the action as JSON while it waits for approval.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
    /// The version that the person saw.
    pub seen: SeenVersion,
    /// An optional reason.
    pub reason: Option<String>,
}

/// An edit with its packet or action read.
#[derive(Debug)]
pub struct PreparedEdit {
    pub(super) request: Edit,
    pub(super) edited: Edited,
    pub(super) reason: Reason,
}

impl Step for Edit {
    const NAME: &'static str = "edit";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Decide]);
    type Prepared = PreparedEdit;

    fn reads(&self) -> Reads {
        Reads::Revision(self.handoff)
    }

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedEdit, Refusal> {
        let edited = prepare(input, &self.source)?;
        let reason = text::reason(self.reason.as_deref(), &input.directory.settings)?;
        Ok(PreparedEdit { request: self.clone(), edited, reason })
    }
}

/// Reads the action while it waits for approval, else the packet.
fn prepare(input: &PrepareInput, source: &[u8]) -> Result<Edited, Refusal> {
    if let State::Held(Hold { approval_request: Some(_), .. }) = current(input)?.progress.state {
        return action(input, source).map(Edited::Action);
    }
    let packet = prepare_packet(input, Incoming::revision(source))?;
    Ok(Edited::Packet(Box::new(packet)))
}

impl PreparedStep for PreparedEdit {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.request.handoff)
    }

    fn redacted_count(&self) -> usize {
        self.reason.redacted_count
    }

    fn packet(&self) -> Option<&PreparedPacket> {
        match &self.edited {
            Edited::Packet(packet) => Some(packet),
            Edited::Action(_) => None,
        }
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        edit(context, &self.request, &self.edited, &self.reason)
    }
}

/// The document that an edit changes.
#[derive(Debug, Clone)]
pub(super) enum Edited {
    /// The packet.
    Packet(Box<PreparedPacket>),
    /// The action that waits for approval.
    Action(Sealed),
}

/// Requires a person who may edit the packet or, while it waits for approval, the action.
pub(crate) fn may_edit(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    authorization::person(context)?;
    if let State::Held(Hold { approval_request: Some(_), .. }) = handoff.progress.state {
        return may_edit_action(context, handoff).map(drop);
    }
    revisable(handoff, "edit")
}

/// Requires a person who may decide about the action that waits for approval.
fn may_edit_action<'a>(
    context: &Context<'_>,
    handoff: &'a Handoff,
) -> Result<&'a ApprovalRequest, Refusal> {
    let State::Held(hold @ Hold { approval_request: Some(asked), .. }) = &handoff.progress.state
    else {
        return Err(authorization::wrong_state(
            handoff,
            "edit the action of",
            "waiting for an approval",
        ));
    };
    decision::not_own(context, handoff, hold)?;
    deciders::require(context, handoff, hold)?;
    Ok(asked)
}

fn edit(
    context: &Context<'_>,
    request: &Edit,
    edited: &Edited,
    reason: &Reason,
) -> Result<Change, Refusal> {
    authorization::person(context)?;
    let handoff = context.state.handoff(request.handoff)?;
    match edited {
        Edited::Packet(prepared) => edit_packet(context, request, handoff, prepared, reason),
        Edited::Action(action) => edit_action(context, request, handoff, action, reason),
    }
}

pub(crate) fn edit_packet(
    context: &Context<'_>,
    request: &Edit,
    handoff: &Handoff,
    prepared: &PreparedPacket,
    reason: &Reason,
) -> Result<Change, Refusal> {
    revisable(handoff, "edit")?;
    decision::check(context, handoff, &request.seen)?;
    let mut after = handoff.clone();
    apply_revision(context, &mut after, prepared)?;
    review::let_pass(&mut after, context.now);
    let (_, change) = edited(context, request, handoff, reason, &[]);
    Ok(revised(context, after, prepared, change))
}

/// Approves the edited action. Its holder continues, bound to the new bytes.
pub(crate) fn edit_action(
    context: &Context<'_>,
    request: &Edit,
    handoff: &Handoff,
    action: &Sealed,
    reason: &Reason,
) -> Result<Change, Refusal> {
    let asked = may_edit_action(context, handoff)?;
    if asked.sign_off.is_some() {
        let message = "a sign-off cannot be edited";
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("approve it, or reject it with what must change first"));
    }
    decision::seen_version::require(context, handoff, &request.seen)?;
    let more = [("action", json!(action.digest))];
    let (id, mut change) = edited(context, request, handoff, reason, &more);
    change
        .record_event(EventType::Accepted, handoff.id, deputies::actor(context, handoff))
        .with("by", "person")
        .with("decision", id)
        .about(Some(&action.digest));
    let document = format!("{}.{}", asked.action, asked.version + 1);
    change.put_document(handoff.id, DocumentKind::Action, document, action.clone());
    let mut after = handoff.clone();
    review::record(&mut after, context.now);
    decision::conclude(context, &mut after, asked, decision::Outcome::Granted, &mut change);
    change.show(after.id);
    change.put(after);
    Ok(change)
}

/// Returns the change that records the decision to edit.
pub(crate) fn edited(
    context: &Context<'_>,
    request: &Edit,
    handoff: &Handoff,
    reason: &Reason,
    more: &[(&str, Value)],
) -> (DecisionId, Change) {
    let mut change = Change::default();
    let (id, sealed) = decision::document(context, handoff, "edit", &request.seen, reason, more);
    change
        .record_event(EventType::Edited, handoff.id, deputies::actor(context, handoff))
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.put_document(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    change.answer.document = Some(id.to_string());
    (id, change)
}
