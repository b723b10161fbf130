//! It comes back: the holder returns what was asked for.
//!
//! A return that lacks what packet or contract require is refused and says what is missing. Where
//! neither asks for a return, it is the end; where the contract checks by itself, its verdict is.

use serde_json::Value;
use tasuki_packet::Violation;
use tasuki_packet::id::ReturnId;
use tasuki_packet::leaf::EventType;

use crate::authority::{self, Shown};
use crate::change::Change;
use crate::context::Context;
use crate::document::{DocumentKind, Sealed};
use crate::handoff::{Returned, State};
use crate::refusal::{Refusal, RefusalCode};
use crate::terms::Judge;
use crate::verify;
use crate::view;

/// What is to come back.
#[derive(Debug, Clone)]
pub struct Request {
    /// The claim.
    pub shown: Shown,
    /// The return packet in any form.
    pub source: Vec<u8>,
}

/// A return packet that was read and judged against the packet it answers.
#[derive(Debug, Clone)]
pub struct Returning {
    /// Its text.
    pub sealed: Sealed,
    /// The revision that it was judged against.
    pub revision: u32,
    /// What packet or contract require and it lacks.
    pub missing: Vec<Violation>,
    /// Whether every criterion is met.
    pub is_good: bool,
    /// The whole verdict.
    pub verdict: Value,
    /// What the caller should know.
    pub notes: Vec<String>,
}

/// Decides a return.
pub fn decide(
    context: &Context<'_>,
    request: &Request,
    returning: &Returning,
) -> Result<Change, Refusal> {
    let (handoff, claim) = authority::holder(context, request.shown)?;
    if returning.revision != handoff.facts.revision {
        return Err(Refusal::new(
            RefusalCode::DirectoryMoved,
            "the packet moved while it was read",
        ));
    }
    if !returning.missing.is_empty() {
        let count = returning.missing.len();
        let message = format!("the return lacks what was asked for: {count} missing");
        return Err(Refusal::new(RefusalCode::ReturnIncomplete, message)
            .hint("add what is named and return again; the claim is still yours")
            .with(returning.missing.clone()));
    }
    let id: ReturnId = context.draw.id("return", context.now);
    let mut change = Change::default();
    change
        .happened(EventType::Returned, handoff.id, context.actor())
        .with("return_packet", id)
        .with("token", claim.token)
        .bringing(returning.sealed.commitment);
    change.keep(handoff.id, DocumentKind::Return, id.to_string(), returning.sealed.clone());
    let mut after = handoff.clone();
    after.progress.progress_at = context.now;
    let holder = claim.holder;
    after.progress.state =
        State::Returned(Returned { return_packet: id, holder, since: context.now });
    let terms = &handoff.facts.terms;
    if !terms.asks_return && !handoff.facts.sheet.asks_return {
        change.happened(EventType::Done, handoff.id, context.actor()).with("by", "no_return");
        after.progress.state = State::Done;
    } else if terms.verify == Judge::Automatic {
        verify::automatic(context, &mut after, returning, &mut change);
    }
    change.answer.document = Some(id.to_string());
    change.answer.handoff = Some(view::handoff(&context.state.directory, &after));
    change.answer.notes.clone_from(&returning.notes);
    change.put(after);
    Ok(change)
}
