//! A new revision of the packet: by its sender, by a person who edits, or with an answer.
//!
//! A revision voids every approval of the one before, because approvals name revision and digest.
//! Once somebody has claimed the handoff its packet is fixed. While a holder asks leave, an edit
//! changes the action's document and not the packet.

use serde_json::json;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use crate::authority;
use crate::change::Change;
use crate::context::Context;
use crate::decision::{self, Looked};
use crate::document::{DocumentKind, Sealed};
use crate::handoff::{Handoff, Hold, State};
use crate::offer::offer;
use crate::prepare::Paper;
use crate::reason::Reason;
use crate::refusal::Refusal;
use crate::view;

/// A packet to take the place of the current revision.
#[derive(Debug, Clone)]
pub struct Revise {
    /// The handoff.
    pub handoff: HandoffId,
    /// The packet in any form.
    pub source: Vec<u8>,
    /// What the caller saw.
    pub looked: Looked,
}

/// A packet or an action that a person has changed.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The handoff.
    pub handoff: HandoffId,
    /// The packet in any form, or the action as JSON while its holder asks leave.
    pub source: Vec<u8>,
    /// What the person saw.
    pub looked: Looked,
    /// Why, if there is something to say.
    pub reason: Option<String>,
}

/// What an edit changes.
#[derive(Debug, Clone)]
pub enum Edited {
    /// The packet.
    Packet(Box<Paper>),
    /// The action that a holder asked leave for.
    Action(Sealed),
}

/// Decides a revise.
pub fn revise(context: &Context<'_>, request: &Revise, paper: &Paper) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    authority::sender(context, handoff)?;
    revisable(handoff, "revise")?;
    decision::check(handoff, &request.looked)?;
    let mut change = Change::default();
    let mut after = handoff.clone();
    take_in(context, &mut after, paper);
    change.happened(EventType::Revised, handoff.id, context.actor());
    Ok(revised(context, after, paper, change))
}

/// Decides an edit.
pub fn edit(
    context: &Context<'_>,
    request: &Edit,
    edited: &Edited,
    reason: &Reason,
) -> Result<Change, Refusal> {
    authority::person(context)?;
    let handoff = context.state.handoff(request.handoff)?;
    decision::check(handoff, &request.looked)?;
    let mut change = Change::default();
    // No leaf commits to the new action itself; the decision does, and a leaf commits to that.
    let action = match edited {
        Edited::Packet(_) => None,
        Edited::Action(action) => Some(("action", json!(action.digest))),
    };
    let more = action.as_slice();
    let (id, sealed) = decision::document(context, handoff, "edit", &request.looked, reason, more);
    let mut after = handoff.clone();
    match edited {
        Edited::Packet(paper) => {
            revisable(handoff, "edit")?;
            take_in(context, &mut after, paper);
        }
        Edited::Action(action) => edit_action(context, &mut after, action, &mut change)?,
    }
    change
        .happened(EventType::Edited, handoff.id, context.actor())
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    change.answer.document = Some(id.to_string());
    match edited {
        Edited::Packet(paper) => Ok(revised(context, after, paper, change)),
        Edited::Action(_) => {
            change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
            change.put(after);
            Ok(change)
        }
    }
}

/// Whether the packet may still change.
pub fn revisable(handoff: &Handoff, verb: &str) -> Result<(), Refusal> {
    match &handoff.progress.state {
        State::Held(Hold { asked_by: None, .. }) | State::Offered(_) => Ok(()),
        _ => {
            Err(authority::wrong_state(handoff, verb, "held or offered, before anybody claims it"))
        }
    }
}

/// The next revision: its facts, under terms that never have fewer gates than before.
pub fn take_in(context: &Context<'_>, handoff: &mut Handoff, paper: &Paper) {
    let own = context.principal.party;
    let on_behalf_of = context.principal.on_behalf_of;
    let facts = handoff.facts_mut();
    facts.revision += 1;
    let gates = std::mem::take(&mut facts.terms.gates);
    let is_hold_asked = facts.terms.is_hold_asked;
    facts.sheet = paper.sheet.clone();
    facts.terms = paper.terms.clone();
    facts.terms.is_hold_asked |= is_hold_asked;
    for digest in gates {
        if !facts.terms.gates.contains(&digest) {
            facts.terms.gates.push(digest);
        }
    }
    facts.fingerprint.clone_from(&paper.fingerprint);
    for contributor in std::iter::once(own).chain(on_behalf_of) {
        if !facts.contributors.contains(&contributor) {
            facts.contributors.push(contributor);
        }
    }
    handoff.progress.progress_at = context.now;
}

/// Stores the revision and decides anew whether a person has to look.
pub fn revised(
    context: &Context<'_>,
    mut handoff: Handoff,
    paper: &Paper,
    mut change: Change,
) -> Change {
    let revision = handoff.facts.revision.to_string();
    change.keep(handoff.id, DocumentKind::Packet, revision, paper.sealed.clone());
    let directory = &context.state.directory;
    let not_before = match &handoff.progress.state {
        State::Offered(offer) => offer.not_before,
        _ => None,
    };
    offer(directory, &mut handoff, not_before, context.now, context.actor(), &mut change);
    change.answer.handoff = Some(view::handoff(directory, &handoff));
    change.answer.notes.clone_from(&paper.notes);
    change.put(handoff);
    change
}

fn edit_action(
    context: &Context<'_>,
    handoff: &mut Handoff,
    action: &Sealed,
    change: &mut Change,
) -> Result<(), Refusal> {
    let id = handoff.id;
    let wrong = authority::wrong_state(handoff, "edit the action of", "held by its holder");
    let State::Held(Hold { asked_by: Some(asked), .. }) = &mut handoff.progress.state else {
        return Err(wrong);
    };
    asked.version += 1;
    asked.digest.clone_from(&action.digest);
    let document = format!("{}.{}", asked.action, asked.version);
    change.keep(id, DocumentKind::Action, document, action.clone());
    handoff.progress.progress_at = context.now;
    Ok(())
}
