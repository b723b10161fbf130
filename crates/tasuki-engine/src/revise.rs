//! A new revision of the packet: by its sender, by a person who edits, or with an answer.
//!
//! A revision voids every approval of the one before, because approvals name revision and digest.
//! Once somebody has claimed the handoff its packet is fixed. While a holder asks leave, an edit
//! changes the action's document and not the packet, and is leave for what it says then.

use serde_json::{Value, json};
use tasuki_packet::id::{DecisionId, HandoffId};
use tasuki_packet::leaf::EventType;

use crate::authority;
use crate::chain;
use crate::change::Change;
use crate::context::{Context, later};
use crate::decision::{self, Looked};
use crate::document::{DocumentKind, Sealed};
use crate::handoff::{AskedLeave, Claim, Handoff, Hold, State};
use crate::offer::offer;
use crate::prepare::Paper;
use crate::reason::Reason;
use crate::refusal::{Refusal, RefusalCode};
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
    take_in(context, &mut after, paper)?;
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
    match edited {
        Edited::Packet(paper) => edit_packet(context, request, handoff, paper, reason),
        Edited::Action(action) => edit_action(context, request, handoff, action, reason),
    }
}

fn edit_packet(
    context: &Context<'_>,
    request: &Edit,
    handoff: &Handoff,
    paper: &Paper,
    reason: &Reason,
) -> Result<Change, Refusal> {
    revisable(handoff, "edit")?;
    decision::check(handoff, &request.looked)?;
    let mut after = handoff.clone();
    take_in(context, &mut after, paper)?;
    let (_, change) = edited(context, request, handoff, reason, &[]);
    Ok(revised(context, after, paper, change))
}

/// An edited action is leave for exactly that: its holder goes on, bound to the new bytes.
fn edit_action(
    context: &Context<'_>,
    request: &Edit,
    handoff: &Handoff,
    action: &Sealed,
    reason: &Reason,
) -> Result<Change, Refusal> {
    let State::Held(Hold { asked_by: Some(asked), .. }) = &handoff.progress.state else {
        return Err(authority::wrong_state(handoff, "edit the action of", "held by its holder"));
    };
    not_own(context, handoff, asked)?;
    decision::check(handoff, &request.looked)?;
    let more = [("action", json!(action.digest))];
    let (id, mut change) = edited(context, request, handoff, reason, &more);
    change
        .happened(EventType::Accepted, handoff.id, context.actor())
        .with("by", "person")
        .with("decision", id);
    let document = format!("{}.{}", asked.action, asked.version + 1);
    change.keep(handoff.id, DocumentKind::Action, document, action.clone());
    let claim = Claim { until: later(context.now, asked.claim.lease), ..asked.claim.clone() };
    let mut after = handoff.clone();
    after.progress.state = State::Claimed(claim);
    after.progress.progress_at = context.now;
    change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
    change.put(after);
    Ok(change)
}

/// Nobody gives leave for what they sent or asked for themselves.
fn not_own(context: &Context<'_>, handoff: &Handoff, asked: &AskedLeave) -> Result<(), Refusal> {
    let own = context.principal.party;
    if handoff.facts.sender != own && asked.claim.holder != own {
        return Ok(());
    }
    let message = format!("you sent or hold handoff {}, so another person decides", handoff.id);
    Err(Refusal::new(RefusalCode::OwnHandoff, message).hint("ask somebody else to look at it"))
}

/// A change that begins with the decision to edit.
fn edited(
    context: &Context<'_>,
    request: &Edit,
    handoff: &Handoff,
    reason: &Reason,
    more: &[(&str, Value)],
) -> (DecisionId, Change) {
    let mut change = Change::default();
    let (id, sealed) = decision::document(context, handoff, "edit", &request.looked, reason, more);
    change
        .happened(EventType::Edited, handoff.id, context.actor())
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.keep(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    change.answer.document = Some(id.to_string());
    (id, change)
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
///
/// The fingerprint stays that of the packet as it was first sent: a sender whose answer was lost
/// sends that one again, whatever a person has changed meanwhile.
pub fn take_in(context: &Context<'_>, handoff: &mut Handoff, paper: &Paper) -> Result<(), Refusal> {
    if paper.base != Some((handoff.facts.revision, handoff.facts.receiver)) {
        let message = "the handoff moved while its revision was prepared";
        return Err(Refusal::new(RefusalCode::DirectoryMoved, message).hint("try again"));
    }
    let parent = handoff.facts.parent.and_then(|id| context.state.handoff(id).ok());
    let on_behalf_of = context.principal.on_behalf_of;
    let facts = handoff.facts_mut();
    facts.revision += 1;
    let gates = std::mem::take(&mut facts.terms.gates);
    let is_hold_asked = facts.terms.is_hold_asked;
    facts.spent = chain::spent(parent, &paper.sheet);
    facts.budget = chain::budget(parent, &paper.sheet);
    facts.sheet = paper.sheet.clone();
    facts.sheet.authority = chain::authority(parent, &paper.sheet);
    facts.terms = paper.terms.clone();
    facts.terms.is_hold_asked |= is_hold_asked;
    for digest in gates {
        if !facts.terms.gates.contains(&digest) {
            facts.terms.gates.push(digest);
        }
    }
    for contributor in std::iter::once(context.principal.party).chain(on_behalf_of) {
        if !facts.contributors.contains(&contributor) {
            facts.contributors.push(contributor);
        }
    }
    chain::check_revision(context, facts)?;
    handoff.progress.progress_at = context.now;
    Ok(())
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
