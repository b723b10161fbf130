//! What waits for a party, and when the exchange looked.
//!
//! An inbox that is empty because nothing waits is told from one that could not be read: the first
//! says at which event and time it looked, the second is an error.

use jiff::Timestamp;
use tasuki_api as api;
use tasuki_packet::id::PartyId;

use crate::error::Error;
use crate::limits::PAGE_MAX;
use crate::model::{Directory, Handoff, Head, HoldReason, Principal, State, StateWord, Urgency};
use crate::ports::{Order, Query};
use crate::query::continuation::Reader;
use crate::rules::gate::AtGate;
use crate::rules::verifier;
use crate::view::Viewer;

/// LIMIT: how often one page looks on where everything it found is somebody else's turn.
const LOOKS_MAX: usize = 8;

/// Reads a page of the inbox of a caller: offers to it and its roles, what it holds, returns that it
/// judges, questions it has to answer, for a person everything that waits for one, and for people and
/// reviewers what its own sender returned.
pub(crate) async fn inbox(
    reader: &Reader<'_>,
    head: &Head,
    behind: Option<Urgency>,
    limit: u32,
) -> Result<api::Inbox, Error> {
    let (directory, principal, now) = (&*reader.directory, reader.principal, reader.now);
    let limit = limit.clamp(1, PAGE_MAX);
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let (mut found, mut looked_until): (Vec<Handoff>, _) = (Vec::new(), behind);
    for _ in 0..LOOKS_MAX {
        let look = reader.look(looked_until, limit).await?;
        for handoff in look.found {
            if !found.iter().any(|known| known.id == handoff.id) {
                found.push(handoff);
            }
        }
        looked_until = look.until;
        if looked_until.is_none() || found.len() > page {
            break;
        }
    }
    let next = match found.get(..page) {
        Some([.., last]) if found.len() > page => Some(Urgency::of(last)),
        _ => looked_until,
    };
    found.truncate(page);
    let viewer = Viewer { directory, principal, now };
    Ok(api::Inbox {
        party: directory.name(principal.party),
        handoffs: found.iter().map(|one| viewer.handoff(one)).collect(),
        as_of_n: head.leaves.saturating_sub(1),
        as_of: now,
        more: next.is_some(),
        next: next.map(|place| place.to_string()),
    })
}

/// What one look found, most urgent first, and up to where it saw everything, if not to the end.
struct Look {
    found: Vec<Handoff>,
    until: Option<Urgency>,
}

impl Reader<'_> {
    async fn look(&self, behind: Option<Urgency>, limit: u32) -> Result<Look, Error> {
        let (mut found, mut until): (Vec<Handoff>, Option<Urgency>) = (Vec::new(), None);
        for query in self.queries(behind, limit + 1) {
            let listed = self.store.handoffs(self.project, query).await?;
            // A list that is full says nothing about what comes behind its last.
            if listed.len() > usize::try_from(limit).unwrap_or(usize::MAX) {
                let last = listed.last().map(Urgency::of);
                until = until.into_iter().chain(last).min();
            }
            found.extend(listed);
        }
        found.retain(|one| {
            let is_seen = until.is_none_or(|until| Urgency::of(one) <= until);
            is_seen && waits_for(&self.directory, one, self.principal, self.now)
        });
        found.sort_by_key(Urgency::of);
        found.dedup_by_key(|one| one.id);
        Ok(Look { found, until })
    }

    fn queries(&self, behind: Option<Urgency>, limit: u32) -> Vec<Query> {
        let own = self.principal.party;
        let own_and_roles = self.directory.claims_for(own);
        let query = |states: &[StateWord]| Query {
            states: states.to_vec(),
            order: Order::Urgent,
            behind,
            limit,
            ..Query::default()
        };
        let mut queries = vec![
            Query { receivers: own_and_roles.clone(), ..query(&[StateWord::Offered]) },
            Query { holder: Some(own), ..query(&[StateWord::Claimed, StateWord::Held]) },
            Query { senders: vec![own], awaits_sender: true, ..query(&[]) },
            Query { judges: own_and_roles, ..query(&[]) },
        ];
        if self.principal.is_human() {
            queries.push(query(&[StateWord::Held]));
        }
        if verifier::judges_any(&self.directory, self.principal) {
            queries.push(Query { own_returns: true, ..query(&[]) });
        }
        queries
    }
}

/// Whether a person has said all that they can say to a hold: they asked for leave themselves, or have
/// signed or denied at every gate that is left.
fn has_spoken(directory: &Directory, handoff: &Handoff, own: PartyId, now: Timestamp) -> bool {
    let State::Held(hold) = &handoff.progress.state else { return false };
    let is_asking = hold.approval_request.as_ref().is_some_and(|asked| asked.claim.holder == own);
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
                || verifier::judges_in_place(directory, principal, handoff)
        }
        StateWord::Done
        | StateWord::PassedOn
        | StateWord::Rejected
        | StateWord::Cancelled
        | StateWord::Discarded
        | StateWord::Dead => false,
    }
}
