//! What waits for a party, and when the exchange looked.
//!
//! An inbox that is empty because nothing waits is told from one that could not be read: the first
//! says at which event and time it looked, the second is an error.

use jiff::Timestamp;
use tasuki_packet::api;
use tasuki_packet::id::{PartyId, ProjectId};

use crate::directory::Directory;
use crate::engine::Engine;
use crate::error::Error;
use crate::gate::AtGate;
use crate::handoff::{Handoff, HoldReason, State, StateWord};
use crate::limits::PAGE_MAX;
use crate::principal::Principal;
use crate::store::{Order, Query};
use crate::verify;
use crate::view::Viewer;

/// Reads the inbox of a caller: offers to it and its roles, what it holds, returns that it judges,
/// questions it has to answer, for a person everything that waits for one, and for people and reviewers
/// what its own sender returned.
pub async fn inbox(
    engine: &Engine,
    project: ProjectId,
    principal: &Principal,
    limit: u32,
) -> Result<api::Inbox, Error> {
    engine.settle(project, principal).await?;
    let head = engine.head(project).await?;
    let directory = engine.directory(project).await?;
    let own = principal.party;
    let own_and_roles = directory.claims_for(own);
    let limit = limit.clamp(1, PAGE_MAX);
    let query = |states: &[StateWord]| Query {
        states: states.to_vec(),
        order: Order::Urgent,
        limit: limit + 1,
        ..Query::default()
    };
    let mut queries = vec![
        Query { receivers: own_and_roles.clone(), ..query(&[StateWord::Offered]) },
        Query { holder: Some(own), ..query(&[StateWord::Claimed, StateWord::Held]) },
        Query { senders: vec![own], awaits_sender: true, ..query(&[]) },
        Query { judges: own_and_roles, ..query(&[]) },
    ];
    if principal.is_human() {
        queries.push(query(&[StateWord::Held]));
    }
    if verify::judges_any(&directory, principal) {
        queries.push(Query { own_returns: true, ..query(&[]) });
    }
    let now = engine.now().max(head.last_at);
    let mut found: Vec<Handoff> = Vec::new();
    for query in queries {
        let waits = engine.store().handoffs(project, query).await?;
        for handoff in waits.into_iter().filter(|one| waits_for(&directory, one, principal, now)) {
            if !found.iter().any(|known| known.id == handoff.id) {
                found.push(handoff);
            }
        }
    }
    found.sort_by_key(|handoff| {
        (handoff.facts.terms.risk.priority(), handoff.progress.progress_at, handoff.id)
    });
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > page;
    found.truncate(page);
    let viewer = Viewer { directory: &directory, principal, now };
    Ok(api::Inbox {
        party: directory.name(own),
        handoffs: found.iter().map(|one| viewer.handoff(one)).collect(),
        as_of_n: head.leaves.saturating_sub(1),
        as_of: now,
        more,
    })
}

/// Whether a person has said all that they can say to a hold: they asked for leave themselves, or have
/// signed or denied at every gate that is left.
fn has_spoken(directory: &Directory, handoff: &Handoff, own: PartyId, now: Timestamp) -> bool {
    let State::Held(hold) = &handoff.progress.state else { return false };
    let is_asking = hold.asked_by.as_ref().is_some_and(|asked| asked.claim.holder == own);
    let has_said = |reason: &HoldReason| {
        let HoldReason::Gate(digest) = reason else { return false };
        AtGate::new(directory, handoff, digest, now)
            .is_some_and(|at| at.word_of(own).is_some() && at.factors_for(own).is_empty())
    };
    is_asking || hold.reasons.iter().all(has_said)
}

/// Whether it is this caller's turn.
fn waits_for(
    directory: &Directory,
    handoff: &Handoff,
    principal: &Principal,
    now: Timestamp,
) -> bool {
    let own = principal.party;
    let (facts, progress) = (&handoff.facts, &handoff.progress);
    match progress.state.word() {
        StateWord::Offered => {
            let is_receiver =
                directory.is_or_is_in(own, facts.receiver) && !progress.declined_by.contains(&own);
            is_receiver || facts.sender == own && !progress.questions.is_empty()
        }
        StateWord::Claimed => handoff.claim().is_some_and(|claim| claim.holder == own),
        StateWord::Held => {
            principal.is_human() && facts.sender != own && !has_spoken(directory, handoff, own, now)
        }
        StateWord::Returned => {
            facts.sender == own && !handoff.is_own_return()
                || verify::judges_in_place(directory, principal, handoff)
        }
        _ => false,
    }
}
